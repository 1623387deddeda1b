import { createContext } from 'react';

/** Whether a page is inside the shell, which has the landmark `main` and the margins already. */
export const InShell = createContext(false);
