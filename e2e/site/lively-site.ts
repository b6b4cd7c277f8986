/** A site with people, invitations of every state and files in it, as one finds it in the middle of a year: for pictures. */
import { pictureFile } from './picture.ts';
import { somebody, type Person, type Site } from './running-site.ts';

const people = [
  'Grace Hopper',
  'Alan Kay',
  'Barbara Liskov',
  'Edsger Dijkstra',
  'Donald Knuth',
  'Radia Perlman',
  'Ken Thompson',
  'Frances Allen',
  'Tony Hoare',
  'Lynn Conway',
];
/** Who was invited and has not come, with how it stands: when they were invited, and until when they may come. */
const waiting: [name: string, sentDaysAgo: number, expiresInHours: number, more?: string][] = [
  ['Adele Goldberg', 0, 7 * 24],
  ['Niklaus Wirth', 0, 7 * 24],
  ['Margaret Hamilton', 1, 6 * 24, "opened_at = now() - interval '3 hours'"],
  ['John Backus', 5, 40],
  ['Kathleen Booth', 6, 9],
  [
    'Peter Naur',
    2,
    5 * 24,
    "mail_state = 'failed', mail_failed_at = now() - interval '2 days', mail_error = '550 5.1.1 No such mailbox'",
  ],
  ['Jean Bartik', 9, -2 * 24],
  ['Ole-Johan Dahl', 12, -5 * 24],
  ['Jean Sammet', 30, -23 * 24],
];

/** Who was inside and was removed, with a file each: how long ago, and what became of it. */
const removed: [name: string, daysAgo: number, files: 'handOver' | 'delete', file: string][] = [
  ['Kristen Nygaard', 1, 'delete', 'Simula notes.txt'],
  ['Mary Keller', 6, 'delete', 'Course of spring.txt'],
  ['John McCarthy', 40, 'handOver', 'Contacts.txt'],
];

/** Lists that were sent, with how long ago. */
const imports: [names: string[], daysAgo: number][] = [
  [['Ida Rhodes', 'Ruth Teitelbaum', 'Betty Holberton'], 3],
  [['Wim Ebbinkhuijsen', 'Friedrich Bauer'], 1],
];

const addressOf = (name: string) => `${name.toLowerCase().replaceAll(' ', '.')}@example.com`;

/** What the administrator keeps there. */
const files: { name: string; type: string; contents: Buffer }[] = [
  ['House rules.txt', 'text/plain', 'Whoever comes last turns off the light.\n'],
  ['Site plan.txt', 'text/plain', 'The front desk is on the left.\n'],
  ['Timetable.csv', 'text/csv', 'Day,From,To\nMonday,09:00,17:00\n'],
].map(([name = '', type = '', text = '']) => ({ name, type, contents: Buffer.from(text) }));

const pictures = ['Front door.png', 'Evening at the lake.png', 'Garden in June.png'];

/** Lets them all in, invites the others, and spreads what happened over the last months. */
export async function enliven(site: Site): Promise<void> {
  const inside: Person[] = [];
  for (const [index, name] of people.entries()) {
    const person = { ...somebody(name), email: addressOf(name) };
    const { id, link } = await site.invite(person.email, index % 5 === 1 ? 'admin' : 'member');
    await site.signUp(person, link);
    inside.push(person);
    const days = 3 + index * index;
    await site.sql(
      `update invitations set created_at = now() - ($2 + 2) * interval '1 day', redeemed_at = now() - $2 * interval '1 day',
         expires_at = now() - ($2 - 5) * interval '1 day' where id = $1`,
      [id, days],
    );
    await site.sql(
      `update people set joined_at = now() - $2 * interval '1 day', last_sign_in_at = now() - $3 * interval '7 hours'
         where email = $1`,
      [person.email, days, index],
    );
  }
  const [, alan, , , , , , , tony] = inside;
  if (!alan || !tony) throw new Error('Some of them are missing');
  await site.order('POST', `/api/people/${await site.idOf(tony)}/disable`);
  for (const [name, sentDaysAgo, expiresInHours, more] of waiting) {
    const { id } = await site.invite(addressOf(name));
    // Once its mail has been sent nothing else writes its state.
    await site.mailTo(addressOf(name));
    await site.sql(
      `update invitations set created_at = now() - $2 * interval '1 day',
         expires_at = now() + $3 * interval '1 hour' ${more === undefined ? '' : `, ${more}`} where id = $1`,
      [id, sentDaysAgo, expiresInHours],
    );
  }
  const { id } = await site.invite(addressOf('Konrad Zuse'));
  await site.order('POST', `/api/invitations/${id}/revoke`);
  for (const file of files) await site.upload(site.administrator, file);
  for (const [index, name] of pictures.entries())
    await site.upload(site.administrator, pictureFile(name, index));
  for (const leaving of removed) await letGo(site, ...leaving);
  for (const list of imports) await importList(site, ...list);
  const minutes = await site.upload(alan, {
    name: 'Minutes of Monday.txt',
    type: 'text/plain',
    contents: Buffer.from('Nobody was late.\n'),
  });
  await site.call(alan, 'DELETE', `/api/attachments/${minutes}`);
}

async function letGo(site: Site, name: string, daysAgo: number, what: string, file: string): Promise<void> {
  const person = { ...somebody(name), email: addressOf(name) };
  await site.signUp(person, (await site.invite(person.email)).link);
  await site.upload(person, { name: file, type: 'text/plain', contents: Buffer.from(`Of ${name}.\n`) });
  const id = await site.idOf(person);
  await site.order('DELETE', `/api/people/${id}?files=${what}`);
  await site.sql(`update removed_people set removed_at = now() - $2 * interval '1 day' where id = $1`, [
    id,
    daysAgo,
  ]);
}

async function importList(site: Site, names: string[], daysAgo: number): Promise<void> {
  const rows = names.map((name) => ({ email: addressOf(name), name }));
  const { id } = await site.order(
    'POST',
    '/api/invitations/batches',
    { rows },
    { 'idempotency-key': `list-${daysAgo}` },
  );
  // Once their mails have been sent nothing else writes the list's state.
  for (const { email } of rows) await site.mailTo(email);
  await site.sql(`update invitation_batches set created_at = now() - $2 * interval '1 day' where id = $1`, [
    id,
    daysAgo,
  ]);
}
