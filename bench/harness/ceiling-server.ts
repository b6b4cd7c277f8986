/**
 * The ceiling of API measurements: bare Fastify with one prepared statement, without validation or logging, and a plain stream to a
 * file. `node ceiling-server.ts DATABASE_URL ISSUER` prints its address.
 */
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import Fastify from 'fastify';
import pg from 'pg';

const [databaseUrl = '', issuer = ''] = process.argv.slice(2);
const database = new pg.Pool({ connectionString: databaseUrl, max: 16 });
await database.query(
  'create table if not exists bench_rows (id bigint generated always as identity primary key, text text not null)',
);
const app = Fastify();

app.get<{ Params: { subject: string } }>('/people/:subject', async ({ params }) => {
  const { rows } = await database.query({
    name: 'select',
    text: `select people.id, people.email, display_name, role from people join identities on person_id = people.id
           where issuer = $1 and subject = $2`,
    values: [issuer, params.subject],
  });
  return rows[0];
});

const insertRow = async (email: string) => {
  const { rows } = await database.query({
    name: 'insert',
    text: 'insert into bench_rows (text) values ($1) returning id, text',
    values: [email],
  });
  return rows[0];
};
app.post<{ Body: { email: string } }>('/rows', ({ body }) => insertRow(body.email));

// Work that every sign-in includes: verifying an ES256 signature.
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signed = Buffer.alloc(69);
const signature = sign('sha256', signed, privateKey);
app.post<{ Body: { email: string } }>('/signed-rows', ({ body }) => {
  if (!verify('sha256', signed, publicKey, signature)) throw new Error('the signature is invalid');
  return insertRow(body.email);
});

app.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null));
app.put<{ Querystring: { file: string } }>('/files', async ({ raw, query }) => {
  await pipeline(raw, createWriteStream(query.file));
  return 'stored';
});
app.get<{ Querystring: { file: string } }>('/files', ({ query }) => createReadStream(query.file));

console.log(await app.listen({ port: 0, host: '127.0.0.1' }));
