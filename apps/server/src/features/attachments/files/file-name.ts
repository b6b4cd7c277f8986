import { cutText } from '@vestibule/contract/rules/cut-text';
import { fileNameMaximum } from '@vestibule/contract/rules/file-name';
import { cleanText } from '@vestibule/contract/rules/clean-text';

const maxExtensionLength = 16;

/** Removes folders, control and invisible characters, and shortens the name to 200 characters with its extension. */
export function cleanFileName(fileName: string): string {
  const name = cleanText(fileName.split(/[/\\]/).at(-1) ?? '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, '')
    .trim();
  if (/^\.*$/.test(name)) return 'file';
  if (name.length <= fileNameMaximum) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= maxExtensionLength ? name.slice(dot) : '';
  return cutText(name, fileNameMaximum - extension.length) + extension;
}

/** Returns a `Content-Disposition` header (RFC 6266) with an ASCII and a UTF-8 name (RFC 8187). */
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

/** Returns a name that Windows, macOS and Linux can create. */
function portableName(name: string): string {
  const allowed = name.replaceAll(/[<>:"/\\|?*]/g, '_').replace(/[. ]+$/, '');
  return allowed.replace(windowsDevice, '_$&') || 'file';
}

/** Returns portable names for one folder of an archive. Repeated names get a number, ignoring case. */
export function archiveNames(names: string[]): string[] {
  const usedNames = new Set<string>();
  return names.map(portableName).map((name) => {
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let uniqueName = name;
    for (let number = 2; usedNames.has(uniqueName.toLowerCase()); number += 1)
      uniqueName = `${stem} (${number})${extension}`;
    usedNames.add(uniqueName.toLowerCase());
    return uniqueName;
  });
}
