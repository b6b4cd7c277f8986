/** The steps of a sign-in without a provider: their panel, which shows one step at a time, and their shared context. */
import { describeFailure } from '../../../language/call-failure.ts';
import { loadServerTexts } from '../../../language/language.ts';
import { PasskeyFailure } from '../../../lib/sign-in/passkeys.ts';
import { createElement } from './elements.ts';

type Panel = {
  /**
   * Replaces the shown step and focuses its first field or primary button. Returns a signal that is aborted when the next step is
   * shown.
   */
  show: (sentence: string, ...parts: Node[]) => AbortSignal;
  /** Shows an error below the step; null removes it. */
  showError: (sentence: string | null) => void;
};

function createPanel(container: HTMLElement, setStatus: (sentence: string) => void): Panel {
  const errorArea = createElement('div', 'login-error');
  errorArea.role = 'alert';
  let controller = new AbortController();
  return {
    show(sentence, ...parts) {
      controller.abort();
      controller = new AbortController();
      setStatus(sentence);
      errorArea.replaceChildren();
      container.replaceChildren(...parts, errorArea);
      const first = container.querySelector<HTMLElement>('input, .button-primary');
      first?.focus();
      // Typing replaces a prefilled value.
      if (first instanceof HTMLInputElement) first.select();
      return controller.signal;
    },
    showError(sentence) {
      errorArea.replaceChildren(...(sentence === null ? [] : [createElement('p', 'form-errors', sentence)]));
      if (sentence !== null) errorArea.scrollIntoView({ block: 'nearest' });
    },
  };
}

export type FlowScreen = {
  container: HTMLElement;
  /** Shows a step's sentence above the panel. */
  setStatus: (sentence: string) => void;
  returnTo: string;
  supportEmail: string;
  /** Called after the sign-in; `returnTo` is the path that the server has checked. */
  onSignedIn: (returnTo: string) => unknown;
};

export type FlowContext = Omit<FlowScreen, 'container' | 'setStatus'> & { panel: Panel };

export function createFlow({ container, setStatus, ...flow }: FlowScreen): FlowContext {
  // Without these texts the server's messages are shown in English.
  loadServerTexts().catch(() => {});
  return { ...flow, panel: createPanel(container, setStatus) };
}

export function failureMessage(error: unknown): string {
  return error instanceof PasskeyFailure ? error.message : describeFailure(error).message;
}

/** Runs `action` and shows its failure. Returns whether it succeeded. */
export async function runWithErrors(
  { panel }: FlowContext,
  action: () => Promise<unknown>,
): Promise<boolean> {
  panel.showError(null);
  try {
    await action();
    return true;
  } catch (error) {
    panel.showError(failureMessage(error));
    return false;
  }
}
