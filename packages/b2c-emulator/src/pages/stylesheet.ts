/** Stylesheet of all pages, for light and dark colour schemes and widths from 320 px. */
import type { AccentShades, EmulatorDependencies } from '../tenant/tenant.ts';

export async function writeStylesheet(accent: EmulatorDependencies['accent']): Promise<string> {
  const [light, dark] = await Promise.all([
    accent?.('light', ['#ffffff', '#f5f6f2', '#dceee7']),
    accent?.('dark', ['#1c2328', '#14191d', '#17372f']),
  ]);
  return light && dark ? stylesheet + accentRule(light, dark) : stylesheet;
}

function accentRule(light: AccentShades, dark: AccentShades): string {
  const variables: [string, keyof AccentShades][] = [
    ['accent', 'accent'],
    ['accent-strong', 'hover'],
    ['on-accent', 'text'],
    ['good-back', 'soft'],
    ['glow', 'soft'],
  ];
  const lines = variables.map(([name, shade]) => `--${name}: light-dark(${light[shade]}, ${dark[shade]});`);
  return `:root { ${lines.join(' ')} }\n`;
}

const stylesheet = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f5f6f2, #14191d);
  --glow: light-dark(#dceee7, #17372f);
  --card: light-dark(#ffffff, #1c2328);
  --line: light-dark(#d9ddd4, #2f383e);
  --field: light-dark(#ffffff, #14191d);
  --field-line: light-dark(#7d8880, #76848a);
  --text: light-dark(#1b2320, #e9eded);
  --quiet: light-dark(#55605a, #a4b0b2);
  --accent: light-dark(#0b6653, #7fd1b9);
  --accent-strong: light-dark(#084c3e, #a0dfcd);
  --on-accent: light-dark(#ffffff, #06231b);
  --wrong: light-dark(#b02a21, #ff9d93);
  --wrong-back: light-dark(#fbe7e4, #4e2d29);
  --good-back: light-dark(#dceee7, #17372f);
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; padding: 2rem 1rem;
  display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1.25rem;
  background: radial-gradient(60rem 30rem at 50% -8rem, var(--glow), transparent) no-repeat var(--page);
  color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main {
  width: 100%; max-width: 26rem; padding: 2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 1rem;
  box-shadow: 0 1px 2px rgb(0 0 0 / .05), 0 1.25rem 3rem -1rem rgb(24 32 28 / .18);
}
.brand { display: flex; align-items: center; gap: .6rem; margin: 0 0 1.5rem; color: var(--quiet); font-size: .9rem; overflow-wrap: anywhere; }
.brand svg { flex: none; width: 1.75rem; height: 1.75rem; }
.brand img { max-width: 12rem; max-height: 2.5rem; }
.arch { fill: var(--accent); }
.door { fill: var(--on-accent); }
h1 { margin: 0 0 .375rem; font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
.lead { margin: 0 0 1.5rem; color: var(--quiet); overflow-wrap: anywhere; }
form { margin: 0; }
main > :last-child { margin-bottom: 0; }
.field { position: relative; margin: 0 0 1.125rem; }
button.reveal {
  position: absolute; top: 0; right: -.25rem; width: auto; min-height: 1.5rem; padding: 0 .25rem; font-size: .85rem; font-weight: 500;
  color: var(--accent); background: transparent; border: 0;
}
/* Space for the "Show" button next to the label. */
.field:has(.reveal) label { padding-inline-end: 5rem; }
button.reveal:hover { background: transparent; text-decoration: underline; }
.note span { display: block; padding-inline-start: 1.2em; text-indent: -1.2em; }
.note .met { color: var(--accent); }
label { display: block; margin-bottom: .35rem; font-size: .9rem; font-weight: 550; }
input {
  width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit;
  background: var(--field); border: 1px solid var(--field-line); border-radius: .5rem;
}
input[readonly] { background: var(--page); border-style: dashed; color: var(--quiet); }
input[aria-invalid="true"] { border-color: var(--wrong); box-shadow: 0 0 0 1px var(--wrong); }
#verificationCode { letter-spacing: .3em; font-variant-numeric: tabular-nums; }
.note, .problem { margin: .35rem 0 0; font-size: .85rem; line-height: 1.4; }
.note { color: var(--quiet); }
.problem { color: var(--wrong); }
.banner { margin: 0 0 1.25rem; padding: .75rem 1rem; border-radius: .5rem; font-size: .925rem; overflow-wrap: anywhere; }
.banner.wrong { background: var(--wrong-back); color: var(--wrong); }
.banner.good { background: var(--good-back); }
.actions { display: flex; flex-direction: column; gap: .625rem; margin-top: 1.5rem; }
button, a.button {
  display: block; width: 100%; min-height: 2.75rem; padding: .55rem 1rem; font: inherit; font-weight: 600;
  text-align: center; text-decoration: none; cursor: pointer; color: var(--on-accent);
  background: var(--accent); border: 1px solid transparent; border-radius: .5rem;
}
button:hover, a.button:hover { background: var(--accent-strong); }
button.second { color: var(--text); background: transparent; border-color: var(--field-line); }
button.second:hover { background: var(--page); }
button.quiet { color: var(--accent); background: transparent; font-weight: 500; }
button.quiet:hover { text-decoration: underline; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.accounts { list-style: none; margin: 0 0 .625rem; padding: 0; display: grid; gap: .625rem; }
button.account {
  display: grid; grid-template-columns: auto 1fr; column-gap: .875rem; align-items: center; text-align: start;
  color: var(--text); background: transparent; border-color: var(--line); padding: .75rem .875rem;
}
button.account:hover { background: var(--page); border-color: var(--field-line); }
.account .initial {
  grid-row: span 2; width: 2.5rem; height: 2.5rem; border-radius: 50%; display: grid; place-items: center;
  background: var(--good-back); color: var(--accent);
}
.account .email { font-size: .85rem; font-weight: 400; color: var(--quiet); }
.account span { overflow-wrap: anywhere; min-width: 0; }
.detail {
  margin: 0 0 1.5rem; padding: .75rem 1rem; background: var(--page); border-radius: .5rem; color: var(--quiet);
  font: .8rem/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
}
footer { max-width: 26rem; text-align: center; font-size: .8rem; color: var(--quiet); }
@media (max-width: 26rem) { body { padding: 1rem .75rem; } main { padding: 1.5rem 1.25rem; } }
`;
