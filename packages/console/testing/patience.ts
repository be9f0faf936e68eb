/**
 * Runs before each test file with a page: the first test of a file also loads the code of its screens, for which a busy machine takes
 * many times the second that a screen gets by default. And what a test leaves on
 * the page is taken down: files share a worker, and an open dialog of one hides what the next looks for.
 */
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

configure({ asyncUtilTimeout: 30_000 });
afterEach(cleanup);
