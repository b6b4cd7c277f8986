import { describeFailure } from '../../language/call-failure.ts';
import { toast } from './toast.tsx';

/** Runs `act` and shows a toast if it fails. Returns whether it succeeded. */
export async function runWithErrorToast(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    toast.failure(describeFailure(error));
    return false;
  }
}
