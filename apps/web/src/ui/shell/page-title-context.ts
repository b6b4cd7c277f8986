import { createContext } from 'react';

/** The product's name, which every page's title in the browser's tab ends with. */
export const PageTitleContext = createContext('');
