import { describe } from 'vitest';
import { logSuite } from '../../../../testing/audit-log/log-suite.ts';
import { openSuiteStorage } from '../../../../testing/storage/test-folder.ts';
import { openMemoryStorage } from '../../../platform/storage/open-storage.ts';

describe('the log in memory', () => logSuite(() => openMemoryStorage()));
describe('the log on SQLite, read by its threads', () => logSuite(() => openSuiteStorage()));
