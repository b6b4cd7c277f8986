/** Detects the type of a file by its first bytes: its name and declared type are not trusted. */
import type { AttachmentKind } from '@vestibule/contract/attachments';

export const headerLength = 4096;

type FileType = { type: string; kind: AttachmentKind };

const unknownType: FileType = { type: 'application/octet-stream', kind: 'other' };

/** Types that browsers display. A declared type in this list is used only if the file has the signature of that type. */
const signatures: { type: string; kind: AttachmentKind; signature: RegExp }[] = [
  { type: 'image/png', kind: 'picture', signature: /^\x89PNG\r\n.\n/ },
  { type: 'image/jpeg', kind: 'picture', signature: /^\xff\xd8\xff/ },
  { type: 'image/gif', kind: 'picture', signature: /^GIF8[79]a/ },
  { type: 'image/webp', kind: 'picture', signature: /^RIFF[^]{4}WEBP/ },
  { type: 'image/avif', kind: 'picture', signature: /^[^]{4}ftypavi[fs]/ },
  { type: 'application/pdf', kind: 'pdf', signature: /^%PDF-\d/ },
  { type: 'audio/mpeg', kind: 'audio', signature: /^(?:ID3|\xff[\xf2\xf3\xfa\xfb])/ },
  { type: 'audio/wav', kind: 'audio', signature: /^RIFF[^]{4}WAVE/ },
  { type: 'audio/flac', kind: 'audio', signature: /^fLaC/ },
  { type: 'audio/mp4', kind: 'audio', signature: /^[^]{4}ftypM4[AB]/ },
  { type: 'video/mp4', kind: 'video', signature: /^[^]{4}ftyp(?:isom|iso[2-9]|mp4[12]|M4V|avc1|dash|MSNV)/ },
  { type: 'video/quicktime', kind: 'video', signature: /^[^]{4}ftypqt/ },
  { type: 'video/webm', kind: 'video', signature: /^.E\xdf\xa3[^]{0,60}webm/ },
];
/** Audio and video in Ogg have the same signature: the declared type decides. */
const oggKinds: Record<string, AttachmentKind> = { 'audio/ogg': 'audio', 'video/ogg': 'video' };

/** Types displayed as plain text. HTML, SVG and XML are excluded. */
const textTypes = new Set([
  'text/plain',
  'text/csv',
  'text/tab-separated-values',
  'text/markdown',
  'application/json',
  'application/yaml',
]);
const textNames = /\.(?:txt|log|md|csv|tsv|json|ya?ml|ini|conf)$/i;

const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,99}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,99}$/;

/** `header`: the first `headerLength` bytes of the file, or all bytes of a shorter file. */
export function detectFileType(declared: string, name: string, header: Buffer): FileType {
  const [essence = ''] = declared.toLowerCase().split(';');
  const declaredType = mediaType.test(essence.trim()) ? essence.trim() : '';
  const bytes = header.toString('latin1');
  const found = signatures.find(({ signature }) => signature.test(bytes));
  if (found) return { type: found.type, kind: found.kind };
  if (bytes.startsWith('OggS')) {
    const type = Object.hasOwn(oggKinds, declaredType) ? declaredType : 'audio/ogg';
    return { type, kind: oggKinds[type] as AttachmentKind };
  }
  if ((textTypes.has(declaredType) || textNames.test(name)) && isText(header))
    return { type: textTypes.has(declaredType) ? declaredType : 'text/plain', kind: 'text' };
  const isDisproved =
    textTypes.has(declaredType) ||
    Object.hasOwn(oggKinds, declaredType) ||
    signatures.some(({ type }) => type === declaredType);
  return declaredType === '' || isDisproved ? unknownType : { type: declaredType, kind: 'other' };
}

/** Returns whether the bytes have no control characters of ASCII, as in UTF-8, the encodings of Windows, and UTF-16 with a byte order mark. */
function isText(header: Buffer): boolean {
  const mark = header.toString('hex', 0, 2);
  const utf16 = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : undefined;
  const text = utf16 ? new TextDecoder(utf16).decode(header) : header.toString('latin1');
  // oxlint-disable-next-line no-control-regex -- control characters distinguish other formats from text
  return !/[\0-\x08\x0B\x0E-\x1F\x7F]/.test(text);
}
