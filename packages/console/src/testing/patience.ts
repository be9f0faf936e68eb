/** Runs before each test file with a page: on a busy machine the second a screen gets by default is short. */
import { configure } from '@testing-library/react';

configure({ asyncUtilTimeout: 10_000 });
