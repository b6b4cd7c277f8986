import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import type { Plugin } from 'vite';
import { LoginScreen } from './src/ui/login-screen.tsx';

/** Writes the login screen into index.html, so that it paints before any script is there; one source for both. */
export function staticLoginScreen(): Plugin {
  return {
    name: 'static-login-screen',
    transformIndexHtml: (html) =>
      html.replace('<!--login-screen-->', () => renderToStaticMarkup(createElement(LoginScreen))),
  };
}
