/** The static login screen, which is there before any script: its status line, and what it says when nothing works. */

/** Says what is going on. */
export function showLoginStatus(status: string): void {
  const line = document.querySelector('main.login .login-status');
  if (line) line.textContent = status;
}

/** Says why the application cannot start, and offers to try again. */
export function showStartFailure(sentence: string): void {
  const line = document.querySelector('main.login .login-status');
  if (!line) return;
  line.closest('main')?.classList.add('login-failed');
  line.setAttribute('role', 'alert');
  line.textContent = sentence;
  const again = document.createElement('button');
  again.type = 'button';
  again.className = 'button button-primary button-medium';
  again.textContent = 'Try again';
  again.addEventListener('click', () => window.location.reload());
  line.after(again);
}
