import { createContext } from 'react';

/** Product name, the last part of each page title. */
export const PageTitleContext = createContext('');
