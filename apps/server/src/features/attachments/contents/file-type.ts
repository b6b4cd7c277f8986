/** Detects the type of a file by its first bytes: its name and declared type are not trusted. */
import type { AttachmentKind } from '@vestibule/contract/attachments';

/** Number of first bytes that are needed. */
export const beginningBytes = 4096;

type FileType = { type: string; kind: AttachmentKind };

const unknown: FileType = { type: 'application/octet-stream', kind: 'other' };

/** Types that browsers display. A declared type of this list requires its signature. */
const signatures: { type: string; kind: AttachmentKind; begins: RegExp }[] = [
  { type: 'image/png', kind: 'picture', begins: /^\x89PNG\r\n.\n/ },
  { type: 'image/jpeg', kind: 'picture', begins: /^\xff\xd8\xff/ },
  { type: 'image/gif', kind: 'picture', begins: /^GIF8[79]a/ },
  { type: 'image/webp', kind: 'picture', begins: /^RIFF[^]{4}WEBP/ },
  { type: 'image/avif', kind: 'picture', begins: /^[^]{4}ftypavi[fs]/ },
  { type: 'application/pdf', kind: 'pdf', begins: /^%PDF-\d/ },
  { type: 'audio/mpeg', kind: 'audio', begins: /^(?:ID3|\xff[\xf2\xf3\xfa\xfb])/ },
  { type: 'audio/wav', kind: 'audio', begins: /^RIFF[^]{4}WAVE/ },
  { type: 'audio/flac', kind: 'audio', begins: /^fLaC/ },
  { type: 'audio/mp4', kind: 'audio', begins: /^[^]{4}ftypM4[AB]/ },
  { type: 'video/mp4', kind: 'video', begins: /^[^]{4}ftyp(?:isom|iso[2-9]|mp4[12]|M4V|avc1|dash|MSNV)/ },
  { type: 'video/quicktime', kind: 'video', begins: /^[^]{4}ftypqt/ },
  { type: 'video/webm', kind: 'video', begins: /^.E\xdf\xa3[^]{0,60}webm/ },
];
/** Audio and video in Ogg have the same signature: the declared type decides. */
const oggs: Record<string, AttachmentKind> = { 'audio/ogg': 'audio', 'video/ogg': 'video' };

/** Types displayed as plain text. HTML, SVG and XML are excluded. */
const texts = new Set([
  'text/plain',
  'text/csv',
  'text/tab-separated-values',
  'text/markdown',
  'application/json',
  'application/yaml',
]);
const textNames = /\.(?:txt|log|md|csv|tsv|json|ya?ml|ini|conf)$/i;

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,99}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,99}$/;

/** `beginning`: the first `beginningBytes`, or all bytes of a shorter file. */
export function fileTypeOf(declared: string, name: string, beginning: Buffer): FileType {
  const [essence = ''] = declared.toLowerCase().split(';');
  const claimed = mediaType.test(essence.trim()) ? essence.trim() : '';
  const bytes = beginning.toString('latin1');
  const found = signatures.find(({ begins }) => begins.test(bytes));
  if (found) return { type: found.type, kind: found.kind };
  if (bytes.startsWith('OggS')) {
    const type = Object.hasOwn(oggs, claimed) ? claimed : 'audio/ogg';
    return { type, kind: oggs[type] as AttachmentKind };
  }
  if ((texts.has(claimed) || textNames.test(name)) && isText(beginning))
    return { type: texts.has(claimed) ? claimed : 'text/plain', kind: 'text' };
  const isDisproved =
    texts.has(claimed) || Object.hasOwn(oggs, claimed) || signatures.some(({ type }) => type === claimed);
  return claimed === '' || isDisproved ? unknown : { type: claimed, kind: 'other' };
}

/** Returns whether the bytes are UTF-8 without control characters. The last character may be incomplete. */
function isText(beginning: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(beginning, { stream: true });
    return !/[^\P{Cc}\t\n\f\r]/u.test(text);
  } catch {
    return false;
  }
}
