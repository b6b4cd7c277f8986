/** Reports in which themes the accent color is adjusted for legibility. */
import { t } from '@lingui/core/macro';
import { deriveAccent } from '@vestibule/contract/rules/accent';
import { allBackgrounds } from '../../ui/themes/theme-colors.ts';

export function AccentNote({ colour }: { colour: string }) {
  if (!/^#[\da-f]{6}$/i.test(colour)) return null;
  const shown = allBackgrounds().map(({ theme, on }) => ({ theme, shades: deriveAccent(colour, on) }));
  const adjusted = shown.filter(({ shades }) => shades.accent !== colour.toLowerCase()).length;
  return (
    <div className="accent-note small-print">
      <div className="accent-samples" aria-hidden="true">
        {shown.map(({ theme, shades: { accent, text } }) => (
          <span key={theme.id} data-theme={theme.id} className="accent-sample">
            <span style={{ background: accent, color: text }}>Aa</span>
          </span>
        ))}
      </div>
      <output>
        {adjusted === 0
          ? t`Every theme shows this colour unchanged.`
          : t`In ${adjusted} of the ten themes it is shown lighter or darker so that it stays readable.`}
      </output>
    </div>
  );
}
