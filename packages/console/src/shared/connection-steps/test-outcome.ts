/** Tells what stands around a test of a connection what came of it. */
import type { ConnectionDiagnostic } from '@gatehouse/contract/sessions/diagnostics';
import { createContext } from 'react';

/** Nothing while it runs. Asked for by nobody where a test stands for itself. */
export const TestOutcome = createContext<(said: ConnectionDiagnostic | undefined) => void>(() => {});
