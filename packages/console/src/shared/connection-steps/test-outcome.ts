/** Tells what stands around a test of a connection whether it has passed. */
import { createContext } from 'react';

/** Asked for by nobody where a test stands for itself. */
export const TestOutcome = createContext<(hasPassed: boolean) => void>(() => {});
