/** Characters that nobody sees, and by which one text looks like another. */

/** They turn the writing direction (`exe.gpj` looks like `jpg.exe`), or have no width. */
const unseen =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]/gu;
/** Joiners, where they join nothing: Persian, Indian scripts and emoji need them between their signs. */
const idleJoiners =
  /(?<![^\p{ASCII}\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\p{ASCII}\u200c\u200d])/gu;

export function withoutInvisible(text: string): string {
  return text.replaceAll(unseen, '').replaceAll(idleJoiners, '');
}
