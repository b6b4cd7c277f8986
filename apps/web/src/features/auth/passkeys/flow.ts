/**
 * The steps of a sign-in without a provider: their panel, which shows one step at a time, their entries in the browser's history, and
 * their shared context.
 */
import { describeFailure } from '../../../language/call-failure.ts';
import { loadServerTexts } from '../../../language/language.ts';
import { PasskeyFailure } from '../../../lib/sign-in/passkeys.ts';
import { createElement } from './elements.ts';

type Panel = {
  /**
   * Replaces the shown step and focuses its first field or primary button. Returns a signal that is aborted when the next step is shown.
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

type Steps = {
  /** Shows a step in a new history entry. Back shows the `previous` step again, Forward calls `showAgain`. */
  open: (step: { show: () => unknown; showAgain: () => unknown; previous: () => unknown }) => void;
  /** Returns to the previous step; calls `orElse` if the first step of the history is shown. */
  back: (orElse: () => unknown) => void;
  /** Returns to the history entry of the first step, which stays hidden: Back must not show a step of a completed sign-in. */
  complete: () => Promise<void>;
};

const returnTimeoutMilliseconds = 1_000;

function createSteps(container: HTMLElement): Steps {
  const stepsByIndex = new Map<number, () => unknown>();
  /** A reload keeps the state of the entry. */
  const currentIndex = () => (window.history.state as { signInStep?: number } | null)?.signInStep ?? 0;
  const onPopState = () => {
    // A changed fragment is a mailed link, which reloads the page (code-step.ts).
    if (!container.isConnected || window.location.hash !== '') return;
    const show = stepsByIndex.get(currentIndex());
    // After a reload, only the address names the step.
    if (show) void show();
    else window.location.reload();
  };
  window.addEventListener('popstate', onPopState);
  return {
    open({ show, showAgain, previous }) {
      const index = currentIndex();
      stepsByIndex.set(index, previous).set(index + 1, showAgain);
      // The `key` keeps the router from replacing the state after a reload. The call bypasses the router, which would load the address.
      const state = { ...(window.history.state as object | null), key: 'sign-in', signInStep: index + 1 };
      History.prototype.pushState.call(window.history, state, '');
      show();
    },
    back(orElse) {
      if (currentIndex() > 0) window.history.back();
      else orElse();
    },
    async complete() {
      window.removeEventListener('popstate', onPopState);
      // After a reload, the first step belongs to another page.
      if (!stepsByIndex.has(0) || currentIndex() === 0) return;
      const returned = new Promise((resolve) => {
        window.addEventListener('popstate', resolve, { once: true });
        // The sign-in must not depend on the event.
        setTimeout(resolve, returnTimeoutMilliseconds);
      });
      window.history.go(-currentIndex());
      await returned;
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

export type FlowContext = Omit<FlowScreen, 'container' | 'setStatus'> & { panel: Panel; steps: Steps };

export function createFlow({ container, setStatus, ...flow }: FlowScreen): FlowContext {
  // Without these texts the server's messages are shown in English.
  loadServerTexts().catch(() => {});
  const steps = createSteps(container);
  return {
    ...flow,
    panel: createPanel(container, setStatus),
    steps,
    async onSignedIn(returnTo) {
      await steps.complete();
      await flow.onSignedIn(returnTo);
    },
  };
}

export const failureMessage = (error: unknown): string =>
  error instanceof PasskeyFailure ? error.message : describeFailure(error).message;

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
