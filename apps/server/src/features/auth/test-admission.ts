import { closeAfterTests } from '../../test/test-close.ts';
import { createTestApp } from '../../test/test-app.ts';

/** Creates the application and an administrator for all tests of the file. */
export async function setUpAdmissionApp() {
  const t = closeAfterTests(await createTestApp());
  let counter = 0;
  return {
    ...t,
    admin: await t.join('admin@example.com', 'admin'),
    newAddress: () => `person-${(counter += 1)}@example.com`,
    peopleWith: (email: string) =>
      t.select<{ id: string; issuer: string; subject: string }>`
        select people.id, issuer, subject from people join identities on person_id = people.id where people.email = ${email}`,
  };
}
