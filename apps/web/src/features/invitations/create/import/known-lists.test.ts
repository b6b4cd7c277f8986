/** Lists from templates and exports of the named programs, with fake people. */
import { describe, expect, test } from 'vitest';
import { peopleIn, readTextFile } from './test-list.ts';

const anna = 'Anna Berg <anna@x.example>';
const bob = 'Bob Stone <bob@x.example>';

describe('exports and templates of other programs (K2)', () => {
  test.each<[program: string, content: string, expected: string[]]>([
    [
      'Entra ID, Download users',
      'userPrincipalName,displayName,surname,mail,givenName,id,userType,jobTitle\n' +
        'anna@tenant.example,Anna Berg,Berg,anna@x.example,Anna,1,Member,\n' +
        'bob_x.example#EXT#@tenant.example,Bob Stone,Stone,bob@x.example,Bob,2,Guest,\n',
      [anna, bob],
    ],
    [
      'Entra ID, bulk invite template',
      'version:v1.0\n' +
        'Email address to invite [inviteeEmail] Required,Redirection url [inviteRedirectURL] Required,Send invitation message (true or false) [sendEmail],Customized invitation message [customizedMessageBody]\n' +
        'anna@x.example,https://myapps.example,true,Welcome\nbob@x.example,https://myapps.example,FALSE,\n',
      [' <anna@x.example>', ' <bob@x.example>'],
    ],
    [
      'Entra ID, bulk create template',
      'version:v1.0,,,\n' +
        'Name [displayName] Required,User name [userPrincipalName] Required,Initial password [passwordProfile] Required,First name [givenName]\n' +
        'Anna Berg,anna@x.example,secret,Anna\n',
      [anna],
    ],
    [
      'Microsoft 365 admin center, active users',
      'Block credential,City,Display name,First name,Last name,Mobile Phone,Object Id,Title,User principal name,When created\n' +
        'False,Kiel,Anna Berg,Anna,Berg,,1,,anna@x.example,2026-01-01\n',
      [anna],
    ],
    [
      'Microsoft 365, template for several users',
      'Username,First name,Last name,Display name,Job title,Department,Alternate email address\n' +
        'anna@x.example,Anna,Berg,Anna Berg,,,\n',
      [anna],
    ],
    ['a Spanish list', 'Nombre;Apellidos;Correo electrónico\nAnna;Berg;anna@x.example\n', [anna]],
    ['a Portuguese list', 'Nome;Sobrenome;E-mail\nAnna;Berg;anna@x.example\n', [anna]],
    ['a Danish list', 'Fornavn;Efternavn;E-mail\nAnna;Berg;anna@x.example\n', [anna]],
    [
      'a Dutch list',
      'Voornaam;Tussenvoegsel;Achternaam;E-mailadres\nAnna;;Berg;anna@x.example\nBob;van;Stone;bob@x.example\n',
      [anna, bob],
    ],
    [
      'Google Workspace',
      'First Name [Required],Last Name [Required],Email Address [Required],Password [Required],Password Hash Function [UPLOAD ONLY],Org Unit Path [Required],Recovery Email,Work Phone\n' +
        'Anna,Berg,anna@x.example,****,,/,,\nBob,Stone,bob@x.example,****,,/,bob@home.example,\n',
      [anna, bob],
    ],
    [
      'Google Contacts',
      'First Name,Middle Name,Last Name,Nickname,Organization Name,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value\n' +
        'Anna,,Berg,,,* Work,anna@x.example,,\nBob,,Stone,,,,bob@x.example,Home,bob@home.example\n',
      [anna, bob],
    ],
    [
      'Okta',
      'login,firstName,lastName,middleName,honorificPrefix,email,title,displayName,nickName,secondEmail,mobilePhone\n' +
        'aberg@login.example,Anna,Berg,,Dr.,anna@x.example,Head,,,,\n',
      [anna],
    ],
    [
      'Outlook, English',
      '"Title","First Name","Middle Name","Last Name","Suffix","Company","Job Title","E-mail Address","E-mail Type","E-mail Display Name","E-mail 2 Address"\n' +
        '"","Anna","","Berg","","","","anna@x.example","SMTP","Anna Berg (anna@x.example)",""\n',
      [anna],
    ],
    [
      'Outlook, German',
      '"Anrede","Vorname","Weitere Vornamen","Nachname","Suffix","Firma","E-Mail-Adresse","E-Mail-Typ","E-Mail: Angezeigter Name"\r\n' +
        '"","Anna","","Berg","","","anna@x.example","SMTP","Anna Berg (anna@x.example)"\r\n',
      [anna],
    ],
    [
      'Outlook, French',
      '"Titre","Prénom","Deuxième prénom","Nom","Suffixe","Société","Adresse de messagerie","Type de messagerie"\r\n' +
        '"","Anna","","Berg","","","anna@x.example","SMTP"\r\n',
      [anna],
    ],
    [
      'Excel, French',
      'Nom;Prénom;Courriel;Rôle\r\nBerg;Anna;anna@x.example;Administratrice\r\n',
      [`${anna} admin`],
    ],
    ['Excel, French, whole names', 'Nom complet;Adresse e-mail\nAnna Berg;anna@x.example\n', [anna]],
    [
      'Excel, German',
      'Name;Vorname;E-Mail\nBerg;Anna;anna@x.example\nStone;Bob;bob@x.example\n',
      [anna, bob],
    ],
    [
      'Excel, German, whole names',
      'Name;Vorname;E-Mail\nAnna Berg;Anna;anna@x.example\nBob Stone;Bob;bob@x.example\n',
      [anna, bob],
    ],
    [
      'Exchange, mailboxes',
      'UserPrincipalName;DisplayName;EmailAddresses;PrimarySmtpAddress\n' +
        'aberg@login.example;Anna Berg;"SMTP:anna@x.example,smtp:a@x.example";anna@x.example\n' +
        'bstone@login.example;Bob Stone;SMTP:bob@x.example;bob@x.example\n',
      [anna, bob],
    ],
    [
      'Exchange, contacts',
      'UserPrincipalName,DisplayName,ExternalEmailAddress\nabc@login.example,Anna Berg,SMTP:anna@x.example\n',
      [anna],
    ],
    [
      'Active Directory, Windows address',
      'UserPrincipalName,DisplayName,WindowsEmailAddress\nabc@login.example,Anna Berg,anna@x.example\n',
      [anna],
    ],
    [
      'Entra ID, guests without mail',
      'displayName,userPrincipalName,mail\nAnna Berg,anna@x.example,\nBob,bob_x.example#EXT#@x.example,\n',
      [anna, 'Bob <bob_x.example#EXT#@x.example>'],
    ],
    ['Excel with titles in decomposed Unicode', 'Empfa\u0308nger;Name\nanna@x.example;Anna Berg\n', [anna]],
  ])('are read: %s', (_, content, expected) => {
    expect(peopleIn(content)).toEqual(expected);
  });
});

describe('delimiters and quotes (K2)', () => {
  test.each<[what: string, content: string, expected: string[]]>([
    ['a line break in a quoted title', '"E-mail\naddress",Name\nanna@x.example,Anna Berg\n', [anna]],
    [
      'commas in a title',
      'Name (Vorname, Nachname, Titel);E-Mail\nBerg, Anna, Dr.;anna@x.example\n',
      ['Berg, Anna, Dr. <anna@x.example>'],
    ],
    [
      'commas without titles',
      'Berg, Anna, Dr.;anna@x.example\nStone, Bob, M.A.;bob@x.example\n',
      ['Berg, Anna, Dr. <anna@x.example>', 'Stone, Bob, M.A. <bob@x.example>'],
    ],
    [
      'a blank before a quotation mark',
      'email, name\nanna@x.example, "Berg, Anna"\nbob@x.example,  "Stone, ""Bob"", ""B"""\n',
      ['Berg, Anna <anna@x.example>', 'Stone, "Bob", "B" <bob@x.example>'],
    ],
    [
      'a quotation mark within a cell',
      'email, name\nanna@x.example, Anna 6" Berg\nbob@x.example, "Stone, Bob"\n',
      ['Anna 6" Berg <anna@x.example>', 'Stone, Bob <bob@x.example>'],
    ],
    [
      'titles, and several addresses in a cell',
      'Name;E-Mail\nBerg, Anna;anna@x.example, a2@x.example\nStone, Bob;bob@x.example\n',
      ['Berg, Anna <anna@x.example, a2@x.example>', 'Stone, Bob <bob@x.example>'],
    ],
    [
      'titles, and several addresses separated by semicolons',
      'Name,E-Mail\nAnna,a@x.example;a2@x.example\n',
      ['Anna <a@x.example;a2@x.example>'],
    ],
    [
      'several addresses in a cell without titles',
      'Berg, Anna;anna@x.example, a2@x.example\nStone, Bob;bob@x.example, b2@x.example\n',
      ['Berg, Anna <anna@x.example, a2@x.example>', 'Stone, Bob <bob@x.example, b2@x.example>'],
    ],
    [
      'several addresses in most cells without titles',
      'Anna Berg,a@x.example;a2@x.example\nBob Stone,b@x.example;b2@x.example\nCy Ray,cy@x.example\n',
      [
        'Anna Berg <a@x.example;a2@x.example>',
        'Bob Stone <b@x.example;b2@x.example>',
        'Cy Ray <cy@x.example>',
      ],
    ],
    [
      'a no-break space before a quotation mark',
      'email,name\nanna@x.example,\u00a0"Berg, Anna"\n',
      ['Berg, Anna <anna@x.example>'],
    ],
    [
      'titles alone, with commas',
      'Name, Vorname;Rolle;E-Mail\nBerg, Anna;;anna.x.example\n',
      ['Berg, Anna <anna.x.example>'],
    ],
  ])('are read: %s', (_, content, expected) => {
    expect(peopleIn(content)).toEqual(expected);
  });
});

describe('titles (K2)', () => {
  test('are found below other rows, which are reported', () => {
    const list = readTextFile(
      'Teilnehmerliste 2026;;\n\nE-Mail;Name;Rolle\nanna@x.example;Anna Berg;Admin\n',
    );
    expect(list.entries).toEqual([{ email: 'anna@x.example', name: 'Anna Berg', role: 'admin', row: 4 }]);
    expect(list.notes).toEqual(['Rows above the titles are not used (row 1: Teilnehmerliste 2026).']);
  });

  test('a row above the titles may contain an address', () => {
    const list = readTextFile('Contact;boss@x.example\nName;E-mail\nAnna Berg;anna@x.example\n');
    expect(list.entries).toEqual([{ email: 'anna@x.example', name: 'Anna Berg', row: 3 }]);
    expect(list.notes).toEqual(['Rows above the titles are not used (row 1: Contact · boss@x.example).']);
  });

  test('a column with other roles is not used, unless it is chosen', () => {
    const content = 'Name;E-Mail;Rolle\nAnna Berg;anna@x.example;Referent\nBob Stone;bob@x.example;\n';
    expect(peopleIn(content)).toEqual([anna, bob]);
    expect(readTextFile(content).notes).toEqual([
      '“Rolle” is not used: it has other values (Referent) than the roles Member and Administrator.',
    ]);
    expect(peopleIn(content, { columns: { name: 0, email: 1, role: 2 } })).toEqual([`${anna} Referent`, bob]);
  });

  test('a first row with an invalid address is read as a recipient, not as titles', () => {
    const list = readTextFile('Anna Berg,anna.x.example\nBob Stone,bob@x.example');
    expect(list.entries.map(({ email }) => email)).toEqual(['anna.x.example', 'bob@x.example']);
    expect(peopleIn('Anna Berg,\nBob Stone,bob@x.example')).toEqual(['Anna Berg <>', bob]);
  });

  test('unknown titles are read as a recipient, for the review', () => {
    const list = readTextFile('Wer;Dienstlich\nAnna Berg;anna@x.example');
    expect(list.entries).toEqual([
      { email: 'Dienstlich', name: 'Wer', row: 1 },
      { email: 'anna@x.example', name: 'Anna Berg', row: 2 },
    ]);
    expect(list.notes).toEqual(['“column 1 (Wer)” is read as the name because of its content.']);
  });
});

describe('columns (K2)', () => {
  test.each<[what: string, content: string, expected: string[]]>([
    [
      'addresses below "Kontakt"',
      'Kontakt;Telefon\nanna@x.example;1\nbob@x.example;2\n',
      [' <anna@x.example>', ' <bob@x.example>'],
    ],
    ['name and address below "Name"', 'Name;Telefon\nAnna Berg <anna@x.example>;1\n', [anna]],
    [
      'name and address below "Name" beside an address',
      'Name;E-Mail\nAnna Berg <anna@old.example>;anna@x.example\n',
      [anna],
    ],
    ['names with digits without titles', 'Anna 2 Berg;anna@x.example', ['Anna 2 Berg <anna@x.example>']],
    [
      'unusual names without titles',
      '2 Brothers;7;two@x.example\nBerg & Co. (Kiel);8;berg@x.example\n',
      ['2 Brothers <two@x.example>', 'Berg & Co. (Kiel) <berg@x.example>'],
    ],
    ['one-word names without titles', 'Anna;Berg;anna@x.example\nBob;Stone;bob@x.example\n', [anna, bob]],
    [
      'a role that is a property of every object',
      'email,role\nanna@x.example,Constructor\nbob@x.example,__proto__\ncleo@x.example,Admin\n',
      [' <anna@x.example> Constructor', ' <bob@x.example> __proto__', ' <cleo@x.example> admin'],
    ],
    [
      'a title that is a property of every object',
      'email,constructor,hasOwnProperty\nanna@x.example,1,2\n',
      [' <anna@x.example>'],
    ],
  ])('are read: %s', (_, content, expected) => {
    expect(peopleIn(content)).toEqual(expected);
  });

  test('a row with more than 200 columns is refused', () => {
    expect(() => readTextFile(`email\nanna@x.example${','.repeat(200)}x`)).toThrow(
      'Row 2 has more than 200 columns.',
    );
  });
});

describe('addresses in a text that is not a table (K2)', () => {
  test.each<[what: string, content: string, expected: string[]]>([
    [
      'several in one line',
      'anna@x.example, bob@x.example\ncy@x.example\n',
      [' <anna@x.example>', ' <bob@x.example>', ' <cy@x.example>'],
    ],
    [
      'names with commas',
      'Berg, Anna <anna@x.example>\nStone, Bob <bob@x.example>\n',
      ['Berg, Anna <anna@x.example>', 'Stone, Bob <bob@x.example>'],
    ],
    ['bullets', '1. anna@x.example\n2. Bob Stone <bob@x.example>\n', [' <anna@x.example>', bob]],
  ])('are read: %s', (_, content, expected) => {
    expect(peopleIn(content)).toEqual(expected);
  });

  test('each address has the number of its line', () => {
    expect(
      readTextFile('anna@x.example, bob@x.example\n\ncy@x.example').entries.map(({ row }) => row),
    ).toEqual([1, 1, 3]);
  });
});

test('an export of this site is read without its apostrophes (K2)', () => {
  expect(peopleIn("Name,E-mail\n'=Anna,'+plus@x.example\nO'Neil,bob@x.example\n")).toEqual([
    '=Anna <+plus@x.example>',
    "O'Neil <bob@x.example>",
  ]);
});
