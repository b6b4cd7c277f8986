/** What the steps of coming in without a provider share. */
import { loadServerTexts } from '../../../language/language.ts';
import { describeFailure } from '../../../language/call-failure.ts';
import { PasskeyFailure } from '../../../lib/sign-in/passkeys.ts';
import { createStage, type Panel } from './panel.ts';

/** The screen around the steps. */
export type Around = {
  /** Stands empty in the screen. */
  place: HTMLElement;
  /** Shows the sentence of a step above it. */
  say: (sentence: string) => void;
  /** Where the person wants to go: a path of this site. */
  returnTo: string;
  /** Whom to write to when nothing here helps. */
  supportEmail: string;
  /** Somebody is inside; `returnTo` as the server says it. */
  inside: (returnTo: string) => unknown;
};

export type Flow = Omit<Around, 'place' | 'say'> & { stage: Panel };

export function flowIn({ place, say, ...flow }: Around): Flow {
  // What the server says is told in the person's language, if its texts can be had.
  loadServerTexts().catch(() => {});
  return { ...flow, stage: createStage(place, say) };
}

/** The sentence of whatever came in between. */
export function whyNot(error: unknown): string {
  return error instanceof PasskeyFailure ? error.message : describeFailure(error).message;
}

/** Runs one try of a step, and tells why it failed, if it did. Gives whether it did not. */
export async function attemptIn({ stage }: Flow, run: () => Promise<unknown>): Promise<boolean> {
  stage.complain(null);
  try {
    await run();
    return true;
  } catch (error) {
    stage.complain(whyNot(error));
    return false;
  }
}
