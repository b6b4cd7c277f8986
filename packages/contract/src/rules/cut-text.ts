const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Returns the longest start of `text` that has at most `maximum` UTF-16 units and ends between two characters as readers see them
 * (grapheme clusters, Unicode Standard Annex #29). A first character that is longer than `maximum` is cut between code points.
 */
export function cutText(text: string, maximum: number): string {
  if (text.length <= maximum) return text;
  // The unit after the limit, and its other half if it is a surrogate, are enough to decide whether a character ends at the limit.
  const end = graphemes.segment(text.slice(0, maximum + 2)).containing(maximum)?.index ?? maximum;
  return text.slice(0, end || maximum).replace(/[\ud800-\udbff]$/, '');
}
