/** Descriptions of parameters by name, for every call that has them. */
export const parameterDescriptions: Readonly<Record<string, string>> = {
  // Lists.
  offset: 'Number of rows to skip, for the next pages.',
  limit: 'Maximum number of rows.',
  sort: 'Column to sort by. Without it, the list has its own order.',
  direction: 'Order of the column `sort`.',
  search: 'Words that the rows contain, in any order. Upper case and accents are ignored.',
  filters:
    'JSON text: an array of conditions that all have to hold, such as `[{ "column": "email", "is": "contains", "text": "ann" }]`. Each names a `column` and how to compare it in `is`: `contains` with `text`; `oneOf` with `values`; `between` with `from` (inclusive), `to` (exclusive) or both, as times, days or numbers; `empty`; `filled`.',
  part: 'Only the rows, only the total, or an estimate of the total. Without it: rows and total.',
  // Changes.
  version:
    'The `version` of the object that the change is based on. If it has changed since, the call gets 409.',
  'idempotency-key':
    'Any text that is different for each list. A second call with the same key and list does nothing and gets the same response.',
  // Ids in the path.
  organizationId: 'Id of the organization.',
  applicationId: 'Id of the application.',
  attachmentId: 'Id of the file.',
  deletionId: 'Id of the deletion, from the response of the call that deleted the files.',
  groupId: 'Id of the group of the directory.',
  invitationId: 'Id of the invitation.',
  batchId: 'Id of the batch of invitations.',
  personId: 'Id of the person.',
  identityId: 'Id of the account at a provider.',
  passkeyId: 'Id of the passkey.',
  sessionId: 'Id of the session.',
  roleId: 'Id of the role in organizations.',
  requestId: 'Id of the request to join.',
  tokenId: 'Id of the access token.',
  viewId: 'Id of the view.',
  webhookId: 'Id of the webhook.',
  messageId: 'Id of the message of the webhook.',
  // Others.
  name: 'Name of the extension.',
  grid: 'Name of the list that the views belong to.',
  slug: 'Short name of the organization, as in its address.',
  domain: 'E-mail domain, such as `example.com`.',
  template: 'Name of the mail.',
  after: 'The `lastSeal` of the previous response; 0 at the start.',
  before: 'Id of the last row of the previous page; the response has older rows.',
  address: 'Address of the page of the application.',
  days: 'Number of days that the figures cover.',
  timeZone: 'Time zone in which days begin, such as `Europe/Berlin`.',
  way: 'Id of the sign-in method.',
  language: 'Language of the mail.',
  scheme: 'Colours of the mail.',
  files: 'What happens to the files of the person.',
  handOverTo: 'Address of the member who gets the files.',
  attempt: 'Id of the sign-in, from the response that started it.',
  origin: 'Address of the page that starts the sign-in; browsers send it.',
};
