import { describeFailure } from '../../language/call-failure.ts';
import { toast } from './toast.tsx';

/** Does something, and tells by a message why it failed, if it did; whether it succeeded. */
export async function runWithErrorToast(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    toast.failure(describeFailure(error));
    return false;
  }
}
