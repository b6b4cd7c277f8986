/** Fields and buttons for the login screens that run without React, styled like ui/fields and ui/button. */
import '../fields.css';
import './passkeys.css';

type TextField = {
  element: HTMLElement;
  input: HTMLInputElement;
  /** Shows an error and focuses the field; null removes the error. */
  showError: (sentence: string | null) => void;
};

export function createElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className: string,
  ...content: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const result = document.createElement(name);
  result.className = className;
  result.append(...content);
  return result;
}

export function createTextField(
  label: string,
  attributes: Partial<Pick<HTMLInputElement, 'type' | 'name' | 'inputMode' | 'maxLength' | 'value'>> & {
    /** A string, since the DOM's types lack `username webauthn`. */
    autocomplete: string;
  },
): TextField {
  const id = `field-${attributes.name ?? label}`;
  const caption = createElement('label', 'field-label', label);
  caption.htmlFor = id;
  const { autocomplete, ...properties } = attributes;
  const input = Object.assign(createElement('input', 'field-input'), properties, { id, enterKeyHint: 'go' });
  input.setAttribute('autocomplete', autocomplete);
  const errorElement = createElement('div', 'field-error');
  errorElement.id = `${id}-error`;
  const field: TextField = {
    element: createElement('div', 'field', caption, input, errorElement),
    input,
    showError(sentence) {
      errorElement.textContent = sentence;
      errorElement.hidden = sentence === null;
      input.ariaInvalid = sentence === null ? null : 'true';
      if (sentence === null) return input.removeAttribute('aria-describedby');
      input.setAttribute('aria-describedby', errorElement.id);
      input.focus();
      return input.select();
    },
  };
  field.showError(null);
  input.addEventListener('input', () => field.showError(null));
  return field;
}

export function createForm(submit: () => unknown, ...content: Node[]): HTMLFormElement {
  const form = createElement('form', '', ...content);
  form.noValidate = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    submit();
  });
  return form;
}

/** Runs `run` on click, once at a time, with a spinner. Without `run` the button submits its form. */
export function createButton(
  label: string,
  variant: 'primary' | 'secondary' | 'quiet',
  run?: () => unknown,
): HTMLButtonElement {
  const result = createElement('button', `button button-${variant} button-medium`, label);
  result.type = run ? 'button' : 'submit';
  if (run) result.addEventListener('click', () => void runWithSpinner(result, run));
  return result;
}

/** Ignores calls while `run` is pending. */
export async function runWithSpinner(target: HTMLButtonElement, run: () => unknown): Promise<void> {
  if (target.ariaBusy === 'true') return;
  target.ariaBusy = 'true';
  const spinner = createElement('span', 'button-spinner');
  spinner.ariaHidden = 'true';
  target.prepend(spinner);
  try {
    await run();
  } finally {
    spinner.remove();
    target.ariaBusy = null;
  }
}

function createFingerprintIcon(): SVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const icon = document.createElementNS(namespace, 'svg');
  icon.setAttribute('viewBox', '0 0 24 24');
  icon.classList.add('fingerprint');
  icon.ariaHidden = 'true';
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute(
    'd',
    'M18.9 7a8 8 0 0 1 1.1 5v1a6 6 0 0 0 .8 3M8 11a4 4 0 0 1 8 0v1a10 10 0 0 0 2 6M12 11v2a14 14 0 0 0 2.5 8M8 15a18 18 0 0 0 1.8 6M4.9 19a22 22 0 0 1-.9-7v-1a8 8 0 0 1 12-6.95',
  );
  icon.append(path);
  return icon;
}

/** Without `run` the button submits its form. */
export function createPasskeyButton(
  label: string,
  run?: () => unknown,
  variant: 'primary' | 'secondary' = 'primary',
): HTMLButtonElement {
  const result = createButton(label, variant, run);
  result.prepend(createFingerprintIcon());
  return result;
}

export const createNote = (sentence: string): HTMLElement => createElement('p', 'login-panel-note', sentence);
