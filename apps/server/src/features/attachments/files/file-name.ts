/** Names of files: made fit to be kept, and written into the header that browsers save them by. */
import { cutText } from '@vestibule/contract/rules/cut-text';
import { fileNameMaximum } from '@vestibule/contract/rules/file-name';
import { cleanText } from '@vestibule/contract/rules/clean-text';

/** Ends of names that are longer are no extension. */
const longestExtension = 16;

/**
 * A name that can be shown, made of any text: without folders, control characters and what nobody sees, at most 200
 * characters with its extension kept.
 */
export function cleanFileName(given: string): string {
  const name = cleanText(given.split(/[/\\]/).at(-1) ?? '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, '')
    .trim();
  if (/^\.*$/.test(name)) return 'file';
  if (name.length <= fileNameMaximum) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= longestExtension ? name.slice(dot) : '';
  return cutText(name, fileNameMaximum - extension.length) + extension;
}

/** `Content-Disposition` (RFC 6266), with the name in ASCII for the oldest and in UTF-8 (RFC 8187) for all others. */
export function contentDisposition(kind: 'attachment' | 'inline', name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

/** Device names of Windows, with any extension: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const windowsDevice = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?=\s*(?:\.|$))/i;

/** A name that Windows, macOS and Linux can all create. */
function portableName(name: string): string {
  const allowed = name.replaceAll(/[<>:"/\\|?*]/g, '_').replace(/[. ]+$/, '');
  return allowed.replace(windowsDevice, '_$&') || 'file';
}

/** Portable names for one folder of an archive. Repeated names get a number, ignoring case. */
export function archiveNames(names: string[]): string[] {
  const taken = new Set<string>();
  return names.map(portableName).map((name) => {
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let free = name;
    for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${stem} (${number})${extension}`;
    taken.add(free.toLowerCase());
    return free;
  });
}
