import { sharingModes } from '@vestibule/contract/attachments';
import { describe, expect, test } from 'vitest';
import { durationText, sharedWith, describeAudience } from './attachment-texts.ts';

describe('file texts', () => {
  test.each([
    [0.2, '5 seconds'],
    [42, '45 seconds'],
    [100, '2 minutes'],
    [3_500, '59 minutes'],
    [8_000, '3 hours'],
  ])('%d seconds are "%s" (K7)', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  test('sharedWith and describeAudience name invited people who have not joined (K7)', () => {
    const unshared = {
      sharing: sharingModes.private,
      sharedCount: 0,
      waitedFor: { count: 0, emails: [], names: [] },
    };
    expect([sharedWith(unshared).label, describeAudience(unshared)]).toEqual(['No one', 'not shared']);
    const one = { ...unshared, waitedFor: { count: 1, emails: ['eve@example.com'], names: ['Eve'] } };
    const pendingText = 'waiting for Eve to accept the invitation';
    expect(sharedWith(one)).toEqual({ label: '1 invited', hint: pendingText });
    expect(describeAudience(one)).toBe(pendingText);
    const more = {
      sharing: 'people' as const,
      sharedCount: 2,
      waitedFor: { count: 5, emails: ['a@b.c', 'd@e.f', 'g@h.i'], names: ['Ann', 'd@e.f', 'Gus'] },
    };
    expect(sharedWith(more).label).toBe('2 people, 5 invited');
    expect(describeAudience(more)).toBe(
      'shared with 2 people, waiting for Ann, d@e.f, Gus and 2 others to accept the invitation',
    );
  });
});
