import { ModuleRegistry } from 'ag-grid-community';
import { communityModules } from './grid-modules.ts';

ModuleRegistry.registerModules(communityModules);

export { GridView } from './grid-view.tsx';
