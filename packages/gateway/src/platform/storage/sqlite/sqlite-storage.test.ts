import { describe } from 'vitest';
import { storageContract } from '../../../../testing/storage/storage-contract.ts';
import { openSuiteStorage } from '../../../../testing/storage/test-folder.ts';
import { openMemoryStorage } from '../open-storage.ts';

describe('SQLite in a file', () => storageContract(() => openSuiteStorage()));

describe('SQLite in memory', () => storageContract(() => openMemoryStorage()));
