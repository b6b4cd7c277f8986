/**
 * Optional script of pages with passwords: shows the password on request, shows which password rules are met,
 * and blocks submitting an invalid password, because the server's response would clear the fields. The server
 * validates again.
 */
import { Html, html } from './html.ts';
import type { PageTexts } from './page-texts.ts';

/** Texts are passed in attributes, so that the script and its CSP hash are the same in every language. */
export const passwordScript = `
for (const field of document.querySelectorAll('input[type=password]')) {
  const { show, hide } = document.querySelector('[data-show]').dataset;
  const toggle = Object.assign(document.createElement('button'), { type: 'button', className: 'reveal', textContent: show });
  toggle.setAttribute('aria-controls', field.id);
  toggle.addEventListener('click', () => {
    field.type = field.type === 'password' ? 'text' : 'password';
    toggle.textContent = field.type === 'password' ? show : hide;
  });
  field.form.addEventListener('submit', () => { field.type = 'password'; toggle.textContent = show; });
  field.after(toggle);
}
const fresh = document.getElementById('newPassword');
if (fresh) {
  const again = document.getElementById('reenterPassword');
  const note = document.getElementById('newPassword-note');
  const words = document.querySelector('[data-show]').dataset;
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/];
  const rules = [
    [words.length, () => fresh.value.length >= 8 && fresh.value.length <= 64],
    [words.kinds, () => kinds.filter((kind) => kind.test(fresh.value)).length >= 3],
    [words.same, () => fresh.value !== '' && fresh.value === again.value],
  ];
  const lines = rules.map(() => document.createElement('span'));
  note.replaceChildren(...lines);
  const tell = () => rules.forEach(([text, isMet], at) => {
    lines[at].textContent = (isMet() ? '✓ ' : '○ ') + text;
    lines[at].className = isMet() ? 'met' : '';
  });
  const complain = (field, text) => {
    const id = field.id + '-problem';
    const line = document.getElementById(id) ?? field.parentNode.appendChild(document.createElement('p'));
    Object.assign(line, { id, className: 'problem', textContent: text });
    line.setAttribute('role', 'alert');
    field.setAttribute('aria-invalid', 'true');
    field.focus();
  };
  const forgive = () => {
    if (!rules.every(([, isMet]) => isMet())) return;
    for (const field of [fresh, again]) {
      document.getElementById(field.id + '-problem')?.remove();
      field.removeAttribute('aria-invalid');
    }
  };
  fresh.form.addEventListener('input', () => { tell(); forgive(); });
  fresh.form.addEventListener('submit', (event) => {
    if (event.submitter?.value !== 'continue' || fresh.value === '') return;
    const [isLong, isMixed, equalsInConstantTime] = rules.map(([, isMet]) => isMet());
    if (isLong && isMixed && equalsInConstantTime) return;
    event.preventDefault();
    if (isLong && isMixed) complain(again, words.differs);
    else complain(fresh, words.weak);
  });
  tell();
}
`;

/** Script element for the end of a form with a password. */
export function passwordScriptTag(texts: PageTexts): Html {
  return html`<span
      hidden
      data-show="${texts.show}"
      data-hide="${texts.hide}"
      data-length="${texts.ruleLength}"
      data-kinds="${texts.ruleKinds}"
      data-same="${texts.ruleSame}"
      data-weak="${texts.newPasswordWeak}"
      data-differs="${texts.confirmationDiffersKept}"
    ></span>
    ${new Html(`<script>${passwordScript}</script>`)}`;
}
