import '@mantine/core/styles/default-css-variables.layer.css';
import '@mantine/core/styles/baseline.layer.css';
import '@mantine/core/styles/global.layer.css';
import '@mantine/core/styles/UnstyledButton.layer.css';
import { createTheme, MantineProvider, type VariantColorsResolver } from '@mantine/core';
import type { ReactNode } from 'react';
import { ToastRegion } from './toast.tsx';
import './kit.css';

/** Every variant of every Mantine component in our tokens; red means danger, any other colour the accent. */
const variantColorResolver: VariantColorsResolver = ({ color, variant }) => {
  const ink = color?.startsWith('red') ? 'danger' : 'accent';
  const fill = {
    background: `var(--${ink})`,
    hover: `var(--${ink}-hover)`,
    color: `var(--${ink}-text)`,
    border: 'none',
  };
  const plain = { background: 'transparent', hover: 'var(--surface-hover)', color: `var(--${ink})` };
  if (variant === 'filled' || variant === 'gradient') return fill;
  if (variant === 'light') {
    return {
      background: `var(--${ink}-soft)`,
      hover: `var(--${ink}-soft)`,
      color: `var(--${ink})`,
      border: 'none',
    };
  }
  return { ...plain, border: variant === 'outline' ? `1px solid var(--${ink})` : 'none' };
};

const theme = createTheme({
  variantColorResolver,
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontFamily: 'var(--font)',
  headings: { fontFamily: 'var(--font-heading)' },
});

/**
 * Everything behind the door stands in it. Mantine always believes in its light scheme: kit.css maps that scheme's
 * variables to our tokens, so a change of theme renders nothing again.
 */
export function KitProvider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      forceColorScheme="light"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {children}
      <ToastRegion />
    </MantineProvider>
  );
}
