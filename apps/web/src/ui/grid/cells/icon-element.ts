const svg = 'http://www.w3.org/2000/svg';

/** Creates a decorative 24 by 24 outline icon from its path data. */
export function iconElement(path: string): Element {
  const picture = document.createElementNS(svg, 'svg');
  picture.setAttribute('class', 'grid-icon');
  picture.setAttribute('viewBox', '0 0 24 24');
  picture.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(svg, 'path');
  line.setAttribute('d', path);
  picture.append(line);
  return picture;
}
