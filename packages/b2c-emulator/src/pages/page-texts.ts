/**
 * Texts of the pages in English (with Azure AD B2C's default labels) and German. Protocol errors are in
 * b2c-error.ts.
 */
const english = {
  development: 'Development sign-in. Not for production.',
  emailAddress: 'Email Address',
  password: 'Password',
  newPassword: 'New Password',
  confirmNewPassword: 'Confirm New Password',
  displayName: 'Display Name',
  verificationCode: 'Verification Code',
  signIn: 'Sign in',
  forgotPassword: 'Forgot your password?',
  create: 'Create',
  cancel: 'Cancel',
  continue: 'Continue',
  back: 'Back to the application',
  errorPrefix: 'Error: ',

  signInTitle: 'Sign in',
  signInLead: 'Sign in with your email address.',
  selectTitle: 'Pick an account',
  selectLead: 'You are signed in with these accounts in this browser.',
  otherAccount: 'Use another account',
  signUpTitle: 'Create your account',
  signUpLead: 'You have been invited. Choose a name and a password to finish.',
  signUpEmailNote: 'The invitation was sent to this address. It cannot be changed here.',
  passwordRule: '8 to 64 characters, with three of: lower case, upper case, digit, symbol.',
  show: 'Show',
  hide: 'Hide',
  ruleLength: '8 to 64 characters',
  ruleKinds: 'Three of: lower case, upper case, digit, symbol',
  ruleSame: 'Both passwords are the same',
  confirmationDiffersKept: 'The two passwords are not the same. Show them to compare.',
  resetTitle: 'Reset your password',
  resetEmailLead: 'Enter your email address and we will send you a verification code.',
  sendCode: 'Send verification code',
  resetCodeLead: 'If there is an account for {0}, a verification code is on its way. Enter it here.',
  resetCodeNote: 'The code has 6 digits and works for {0} minutes.',
  verifyCode: 'Verify code',
  sendNewCode: 'Send new code',
  newCodeSent:
    'If there is an account for this address, a new code has been sent. Earlier codes no longer work.',
  resetPasswordLead: 'Your email address is verified. Choose a new password.',
  editTitle: 'Edit your profile',
  editLead: 'This is how other people see you.',

  emailMissing: 'Enter your email address.',
  emailInvalid: 'Enter an email address such as name@example.com.',
  passwordMissing: 'Enter your password.',
  credentialsWrong: 'The email address or password is incorrect. Check both and try again.',
  locked: 'Your account is temporarily locked to prevent unauthorized use. Try again later.',
  displayNameMissing: 'Enter the name you want to be known by.',
  displayNameTooLong: 'Use at most 100 characters and no line breaks.',
  newPasswordMissing: 'Enter a new password.',
  newPasswordWeak: 'This password does not meet the rule below. Choose another one.',
  confirmationDiffers: 'The two passwords are not the same. Enter both again.',
  codeMissing: 'Enter the code from the email.',
  codeWrong: 'That code is incorrect or no longer works. Check it, or send a new one.',
  tooManyMails: 'Too many codes were requested. Wait 15 minutes, then try again.',
  accountExists:
    'An account already exists for this email address. Sign in with it; if you do not know the password, choose "Forgot your password?" there.',
  signInInstead: 'Sign in instead',

  hintUnreachableTitle: 'Your invitation could not be checked',
  hintUnreachable:
    'The application that sent your invitation did not respond. Your invitation is still valid: wait a moment, then try again.',
  tryAgain: 'Try again',
  invitationNeededTitle: 'An invitation is required',
  invitationNeeded: 'Accounts are created by invitation only. Open the link in your invitation email.',
  staleTitle: 'This page is out of date',
  stale:
    'It was open for too long, or it was opened in another browser. Go back to the application and start again.',
  finishedTitle: 'This step is finished',
  finished: 'There is nothing left to do on this page. Continue in the application.',
  signedOutTitle: 'You are signed out',
  signedOut: 'You can close this window, or go back to the application.',
  requestErrorTitle: 'This request cannot be answered',
  requestErrorAdvice:
    'Go back to the application and try again. If the problem persists, send its support the details below.',
  notFoundTitle: 'Page not found',
  notFoundAdvice: 'Check the address: it names the tenant and one of its policies.',
  tooLarge: 'The request is too large. Go back and send less.',
  unexpectedTitle: 'Something went wrong',
  unexpectedAdvice:
    'The fault is ours, not yours. Try again. If the problem persists, look for the correlation id in the output of the emulator.',
  formPostTitle: 'Going back to the application',
  formPost: 'If nothing happens, choose Continue.',

  mailSubject: 'Your verification code',
  mailText:
    'Your verification code is {0}\n\nIt works once, within {1} minutes. If you did not request it, you can ignore this email.\n',
};

export type PageTexts = typeof english;

const german: PageTexts = {
  development: 'Anmeldung für die Entwicklung. Nicht für den Betrieb.',
  emailAddress: 'E-Mail-Adresse',
  password: 'Kennwort',
  newPassword: 'Neues Kennwort',
  confirmNewPassword: 'Neues Kennwort bestätigen',
  displayName: 'Anzeigename',
  verificationCode: 'Prüfcode',
  signIn: 'Anmelden',
  forgotPassword: 'Haben Sie Ihr Kennwort vergessen?',
  create: 'Erstellen',
  cancel: 'Abbrechen',
  continue: 'Weiter',
  back: 'Zurück zur Anwendung',
  errorPrefix: 'Fehler: ',

  signInTitle: 'Anmelden',
  signInLead: 'Melden Sie sich mit Ihrer E-Mail-Adresse an.',
  selectTitle: 'Konto auswählen',
  selectLead: 'Mit diesen Konten sind Sie in diesem Browser angemeldet.',
  otherAccount: 'Anderes Konto verwenden',
  signUpTitle: 'Konto erstellen',
  signUpLead: 'Sie wurden eingeladen. Wählen Sie noch einen Namen und ein Kennwort.',
  signUpEmailNote: 'An diese Adresse ging die Einladung. Sie lässt sich hier nicht ändern.',
  passwordRule: '8 bis 64 Zeichen, mit drei von: Kleinbuchstabe, Großbuchstabe, Ziffer, Sonderzeichen.',
  show: 'Anzeigen',
  hide: 'Verbergen',
  ruleLength: '8 bis 64 Zeichen',
  ruleKinds: 'Drei von: Kleinbuchstabe, Großbuchstabe, Ziffer, Sonderzeichen',
  ruleSame: 'Beide Kennwörter sind gleich',
  confirmationDiffersKept: 'Die beiden Kennwörter sind nicht gleich. Zeigen Sie sie zum Vergleichen an.',
  resetTitle: 'Kennwort zurücksetzen',
  resetEmailLead: 'Geben Sie Ihre E-Mail-Adresse ein, dann senden wir Ihnen einen Prüfcode.',
  sendCode: 'Prüfcode senden',
  resetCodeLead: 'Falls es ein Konto für {0} gibt, ist ein Prüfcode unterwegs. Geben Sie ihn hier ein.',
  resetCodeNote: 'Der Code hat 6 Ziffern und gilt {0} Minuten.',
  verifyCode: 'Code prüfen',
  sendNewCode: 'Neuen Code senden',
  newCodeSent:
    'Falls es ein Konto für diese Adresse gibt, wurde ein neuer Code gesendet. Frühere Codes gelten nicht mehr.',
  resetPasswordLead: 'Ihre E-Mail-Adresse ist bestätigt. Wählen Sie ein neues Kennwort.',
  editTitle: 'Profil bearbeiten',
  editLead: 'So sehen andere Sie.',

  emailMissing: 'Geben Sie Ihre E-Mail-Adresse ein.',
  emailInvalid: 'Geben Sie eine E-Mail-Adresse wie name@example.com ein.',
  passwordMissing: 'Geben Sie Ihr Kennwort ein.',
  credentialsWrong:
    'E-Mail-Adresse oder Kennwort stimmt nicht. Prüfen Sie beides und versuchen Sie es noch einmal.',
  locked: 'Ihr Konto ist zum Schutz vorübergehend gesperrt. Versuchen Sie es später noch einmal.',
  displayNameMissing: 'Geben Sie den Namen ein, unter dem man Sie kennen soll.',
  displayNameTooLong: 'Höchstens 100 Zeichen und keine Zeilenumbrüche.',
  newPasswordMissing: 'Geben Sie ein neues Kennwort ein.',
  newPasswordWeak: 'Dieses Kennwort erfüllt die Regel unten nicht. Wählen Sie ein anderes.',
  confirmationDiffers: 'Die beiden Kennwörter sind nicht gleich. Geben Sie beide noch einmal ein.',
  codeMissing: 'Geben Sie den Code aus der E-Mail ein.',
  codeWrong: 'Der Code stimmt nicht oder gilt nicht mehr. Prüfen Sie ihn oder senden Sie einen neuen.',
  tooManyMails:
    'Es wurden zu viele Codes angefordert. Warten Sie 15 Minuten, dann versuchen Sie es noch einmal.',
  accountExists:
    'Für diese E-Mail-Adresse gibt es schon ein Konto. Melden Sie sich damit an; wenn Sie das Kennwort nicht wissen, wählen Sie dort „Haben Sie Ihr Kennwort vergessen?“.',
  signInInstead: 'Stattdessen anmelden',

  hintUnreachableTitle: 'Ihre Einladung konnte nicht geprüft werden',
  hintUnreachable:
    'Die Anwendung, von der Ihre Einladung kam, hat nicht geantwortet. Die Einladung gilt weiter: Warten Sie einen Augenblick, dann versuchen Sie es noch einmal.',
  tryAgain: 'Noch einmal versuchen',
  invitationNeededTitle: 'Eine Einladung ist nötig',
  invitationNeeded: 'Konten gibt es nur auf Einladung. Öffnen Sie den Link in Ihrer Einladungs-E-Mail.',
  staleTitle: 'Diese Seite ist veraltet',
  stale:
    'Sie war zu lange offen oder wurde in einem anderen Browser geöffnet. Gehen Sie zurück zur Anwendung und beginnen Sie noch einmal.',
  finishedTitle: 'Dieser Schritt ist erledigt',
  finished: 'Auf dieser Seite ist nichts mehr zu tun. Machen Sie in der Anwendung weiter.',
  signedOutTitle: 'Sie sind abgemeldet',
  signedOut: 'Sie können dieses Fenster schließen oder zur Anwendung zurückgehen.',
  requestErrorTitle: 'Diese Anfrage kann nicht beantwortet werden',
  requestErrorAdvice:
    'Gehen Sie zurück zur Anwendung und versuchen Sie es noch einmal. Wenn es wieder geschieht, nennen Sie dem Support, was unten steht.',
  notFoundTitle: 'Seite nicht gefunden',
  notFoundAdvice: 'Prüfen Sie die Adresse: Sie nennt den Mandanten und eine seiner Richtlinien.',
  tooLarge: 'Es wurde mehr gesendet, als Platz hat. Gehen Sie zurück und senden Sie weniger.',
  unexpectedTitle: 'Etwas ist schiefgegangen',
  unexpectedAdvice:
    'Der Fehler liegt hier, nicht bei Ihnen. Versuchen Sie es noch einmal; wenn er bleibt, suchen Sie die Korrelations-ID in der Ausgabe des Emulators.',
  formPostTitle: 'Zurück zur Anwendung',
  formPost: 'Wenn nichts geschieht, wählen Sie Weiter.',

  mailSubject: 'Ihr Prüfcode',
  mailText:
    'Ihr Prüfcode ist {0}\n\nEr gilt {1} Minuten und einmal. Wenn Sie ihn nicht angefordert haben, müssen Sie nichts tun.\n',
};

export type Language = 'en' | 'de';

export const pageTexts: Record<Language, PageTexts> = { en: english, de: german };

/** Returns the first supported language of `ui_locales` (space-separated BCP 47 tags), or English. */
export function chooseLanguage(uiLocales: string | undefined): Language {
  for (const tag of (uiLocales ?? '').toLowerCase().split(' ')) {
    if (/^de(-|$)/.test(tag)) return 'de';
    if (/^en(-|$)/.test(tag)) return 'en';
  }
  return 'en';
}

/** Replaces `{0}`, `{1}` by values. */
export function fillText(text: string, ...values: (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)] ?? ''));
}
