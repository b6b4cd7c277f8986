/** What runs in a frame (B1): hands the provider's answer to the window that waits for it, and nothing else. */
import { broadcastResponseToMainFrame } from '@azure/msal-browser/redirect-bridge';

export function answerFrame(): void {
  document.body.replaceChildren();
  // A frame without an answer of the provider stays empty.
  broadcastResponseToMainFrame().catch(() => {});
}
