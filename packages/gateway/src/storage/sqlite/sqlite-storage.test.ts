import { describe } from 'vitest';
import { openMemoryStorage } from '../open-storage.ts';
import { storageContract } from '../testing/storage-contract.ts';
import { openSuiteStorage } from '../testing/test-folder.ts';

describe('SQLite in a file', () => storageContract(() => openSuiteStorage()));

describe('SQLite in memory', () => storageContract(() => openMemoryStorage()));
