import type { AttachmentKind } from '@vestibule/contract/attachments';

/** Names that the server reads as text, whatever their type (contents/file-type.ts). */
const textNames = /\.(?:txt|log|md|csv|tsv|json|ya?ml|ini|conf)$/i;

/**
 * Returns the kinds that a file can have by its type and name; null if any is possible. The server decides by the contents of the file.
 * `.ts` is the type of a video for browsers, and of a program for its authors.
 */
function possibleKinds({ type, name }: Pick<File, 'type' | 'name'>): AttachmentKind[] | null {
  if (textNames.test(name)) return ['text', 'other'];
  const [group] = type.split('/');
  if (type === '' || /\.ts$/i.test(name)) return null;
  if (type === 'application/pdf') return ['pdf', 'other'];
  if (group === 'image') return ['picture', 'other'];
  if (group === 'audio' || group === 'video') return ['audio', 'video', 'other'];
  return ['text', 'other'];
}

/** Returns whether the server may accept the file as one of the kinds. */
export const mayBeOfKind = (file: Pick<File, 'type' | 'name'>, kinds: readonly AttachmentKind[]): boolean =>
  possibleKinds(file)?.some((kind) => kinds.includes(kind)) ?? true;
