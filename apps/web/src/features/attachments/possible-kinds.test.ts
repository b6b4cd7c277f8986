import { expect, test } from 'vitest';
import { mayBeOfKind } from './record-files.tsx';

test.each([
  ['note.txt', 'text/plain', false],
  ['note.log', '', false],
  ['letter.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', false],
  ['song.mp3', 'audio/mpeg', false],
  ['scan.pdf', 'application/pdf', true],
  ['photo.JPG', 'image/jpeg', true],
  // The server decides.
  ['photo', '', true],
  ['program.ts', 'video/mp2t', true],
])('%s of the type "%s" may be a picture or a PDF: %s', (name, type, isPossible) => {
  expect(mayBeOfKind({ name, type }, ['picture', 'pdf'])).toBe(isPossible);
});
