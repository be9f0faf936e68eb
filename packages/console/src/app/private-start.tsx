/** Starts the router of the private pages, with the first screen already fetched. */
import { RouterProvider } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { createPrivateRouter } from './router.tsx';

export async function startPrivateApp(): Promise<ReactNode> {
  const router = createPrivateRouter();
  await router.load();
  return <RouterProvider router={router} />;
}
