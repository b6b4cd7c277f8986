/** Forwards the provider's response from a hidden frame to the parent window (B1). */
import { broadcastResponseToMainFrame } from '@azure/msal-browser/redirect-bridge';

export function forwardFrameResponse(): void {
  document.body.replaceChildren();
  // Without a response the frame stays empty.
  broadcastResponseToMainFrame().catch(() => {});
}
