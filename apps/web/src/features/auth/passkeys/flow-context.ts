/** Context shared by the steps of a sign-in without a provider. */
import { loadServerTexts } from '../../../language/language.ts';
import { describeFailure } from '../../../language/call-failure.ts';
import { PasskeyFailure } from '../../../lib/sign-in/passkeys.ts';
import { createPanel, type Panel } from './panel.ts';

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
