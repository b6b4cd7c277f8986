// The mailbox page: a list that is polled every second, and the selected mail. Mail texts are set as text
// only; HTML mails are shown in a sandboxed frame with its own policy.
const pollIntervalMs = 1_000;

const element = (id) => document.getElementById(id);
const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

let messages = [];
let chosenId = location.hash.slice(1);
let tag = '';

async function poll() {
  try {
    const answer = await fetch('/api/messages', { cache: 'no-store', headers: { 'if-none-match': tag } });
    if (answer.status !== 304) {
      if (!answer.ok) throw new Error(String(answer.status));
      messages = await answer.json();
      tag = answer.headers.get('etag') ?? '';
      show();
    }
  } catch {
    tag = '';
    element('status').textContent = 'The mailbox does not answer. Is it still running? Trying again…';
  }
  setTimeout(() => void poll(), pollIntervalMs);
}

function show() {
  element('delete-all').hidden = messages.length === 0;
  element('status').textContent =
    messages.length === 0
      ? 'No mail yet. What the application sends appears here automatically.'
      : `${messages.length} ${messages.length === 1 ? 'mail' : 'mails'}, newest first`;
  const focusedId = document.activeElement?.dataset.id;
  element('list').replaceChildren(...messages.map(createRow));
  if (focusedId) document.querySelector(`[data-id="${CSS.escape(focusedId)}"]`)?.focus();
  showChosen();
}

function createRow(message) {
  const button = document.createElement('button');
  button.type = 'button';
  button.dataset.id = message.id;
  button.ariaCurrent = String(message.id === chosenId);
  const subject = document.createElement('strong');
  subject.textContent = message.subject || '(no subject)';
  const details = document.createElement('span');
  const to = document.createElement('span');
  to.textContent = message.to;
  const received = document.createElement('time');
  received.textContent = timeFormat.format(new Date(message.receivedAt));
  details.append(to, received);
  button.append(subject, details);
  button.addEventListener('click', () => choose(message.id));
  const row = document.createElement('li');
  row.append(button);
  return row;
}

function choose(id) {
  chosenId = id;
  history.replaceState(null, '', id ? `#${id}` : location.pathname);
  for (const button of element('list').querySelectorAll('button')) {
    button.ariaCurrent = String(button.dataset.id === id);
  }
  showChosen();
}

function showChosen() {
  const reader = element('reader');
  const message = messages.find(({ id }) => id === chosenId);
  reader.hidden = message === undefined;
  element('unchosen').hidden = message !== undefined || messages.length === 0;
  document.body.classList.toggle('reading', message !== undefined);
  if (message === undefined || reader.dataset.id === message.id) {
    if (message === undefined) delete reader.dataset.id;
    return;
  }
  reader.dataset.id = message.id;
  element('subject').textContent = message.subject || '(no subject)';
  element('to').textContent = message.to;
  element('received').textContent = timeFormat.format(new Date(message.receivedAt));
  element('text').textContent = message.text;
  element('raw').href = `/api/messages/${message.id}/raw`;
  element('html').src = message.html === '' ? 'about:blank' : `/api/messages/${message.id}/html`;
  element('show-html').hidden = message.html === '';
  showAs(message.html === '' ? 'text' : 'html');
}

async function deleteAll() {
  try {
    await fetch('/api/messages', { method: 'DELETE' });
    choose('');
  } catch {
    element('status').textContent = 'The mailbox does not answer: nothing was deleted.';
  }
}

function showAs(view) {
  for (const name of ['html', 'text']) {
    element(name).hidden = name !== view;
    element(`show-${name}`).ariaPressed = String(name === view);
  }
}

element('show-html').addEventListener('click', () => showAs('html'));
element('show-text').addEventListener('click', () => showAs('text'));
element('back').addEventListener('click', () => {
  const id = chosenId;
  choose('');
  document.querySelector(`[data-id="${CSS.escape(id)}"]`)?.focus();
});
element('delete-all').addEventListener('click', () => void deleteAll());

void poll();
