/** Titles of columns in English, German and French lists, of names also in other languages, and in the exports of directories and address books. */
import { plain } from '../../../../lib/tables/plain.ts';
import type { Field } from './list-columns.ts';

const titles: readonly { field: Field; rank: number; pattern: RegExp }[] = [
  {
    field: 'email',
    rank: 0,
    pattern:
      /^(?:work|user|primary|business|windows|external|geschaeftliche|dienstliche)?e?mail(?:id|addr|address(?:es)?|adressen?|value|addresstoinvite|geschaeftlich|dienstlich)?$|^inviteeemail$|^primarysmtp(?:address)?$|^courriel$|^adresse(?:e?mail|decourriel|demessagerie|electronique)$/,
  },
  {
    field: 'email',
    rank: 1,
    pattern: /^(?:adresse|address|to|recipient|empfaenger|destinataire|kontakt|contact)$/,
  },
  {
    field: 'email',
    rank: 2,
    pattern: /^(?:upn|userprincipalname|username|benutzername|login|loginname|anmeldename|identifiant)$/,
  },
  {
    field: 'name',
    rank: 0,
    pattern:
      /^(?:full|display|complete|voller|vollstaendiger|anzeige)?name$|^(?:nach)?name(?:und)?vorname$|^vorname(?:und)?(?:nach)?name$|^first(?:name)?(?:and)?lastname$|^(?:last|sur|family)name(?:and)?(?:first|given|fore)names?$|^nom(?:complet|(?:et)?prenom)?$|^prenom(?:et)?nom$/,
  },
  {
    field: 'name',
    rank: 1,
    pattern: /^(?:person|contact|kontakt|mitarbeiter(?:in)?|employee|teilnehmer(?:in)?|participant)$/,
  },
  {
    field: 'firstName',
    rank: 0,
    pattern:
      /^(?:first|given|fore|vor|ruf)names?$|^first$|^vornamen$|^prenoms?$|^(?:voornaam|fornavn|foernamn|nombres?|nome|imie)$/,
  },
  {
    field: 'lastName',
    rank: 0,
    pattern:
      /^(?:last|sur|family|nach|familien|zu)name$|^last$|^nomdefamille$|^(?:achternaam|efternavn|etternavn|efternamn|apellidos?|cognome|sobrenome|apelido|nazwisko)$/,
  },
  {
    field: 'role',
    rank: 0,
    pattern: /^(?:role|rolle|rechte?|permission|access|zugriff|berechtigung|droits?)$/,
  },
  {
    field: 'message',
    rank: 0,
    pattern:
      /^(?:personal|persoenliche|customizedinvitation)?(?:message|nachricht)$|^(?:text|gruss|greeting)$|^messagepersonnel$/,
  },
];

/** Returns the fields that a title may mean, each with its rank. A title may mean an address in one list and a name in another. */
export function fieldsOfTitle(title: string): { field: Field; rank: number }[] {
  // Some titles have parts in brackets: `Email address to invite [inviteeEmail] Required`, `Name (Vorname, Nachname)`.
  const variants = [
    title,
    title.replaceAll(/\[[^\]]*\]|\([^)]*\)/g, ''),
    ...(/\[([^\]]*)\]/.exec(title)?.slice(1) ?? []),
  ].map((text) => plain(text.slice(0, 200)).replace(/(?:required|optional|pflichtfeld|obligatoire)$/, ''));
  return titles.filter(({ pattern }) => variants.some((text) => pattern.test(text)));
}

/**
 * Scores how likely a row is the header row: the number of known titles, plus one if one of them is the e-mail column. Callers score rows
 * that contain addresses as 0.
 */
export function rateTitles(cells: readonly string[]): number {
  const known = cells.map(fieldsOfTitle).filter((fields) => fields.length > 0);
  return known.length + Number(known.flat().some(({ field }) => field === 'email'));
}
