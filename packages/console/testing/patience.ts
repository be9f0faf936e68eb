/**
 * Runs before each test file with a page: on a busy machine the second a screen gets by default is short. And what a test leaves on
 * the page is taken down: files share a worker, and an open dialog of one hides what the next looks for.
 */
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

configure({ asyncUtilTimeout: 10_000 });
afterEach(cleanup);
