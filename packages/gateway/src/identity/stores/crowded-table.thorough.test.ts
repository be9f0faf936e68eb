import { describe } from 'vitest';
import { crowdedTableContract } from '../../../testing/storage/crowded-table-contract.ts';
import { openMemoryStorage } from '../../../testing/storage/memory-storage.ts';

describe('tables that strangers fill, on SQLite', () => crowdedTableContract(() => openMemoryStorage()));
