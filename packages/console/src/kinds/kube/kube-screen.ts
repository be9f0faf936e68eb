/** The screens of Kubernetes clusters. Only what the first paint needs: their code is fetched. */
import type { BuiltScreen } from '../../platform/routing/screen.ts';

export const kubeScreen: BuiltScreen = {
  title: 'pages.kubernetes',
  load: () => import('./clusters-screen.tsx').then((file) => file.ClustersScreen),
  ask: () => import('./kube-queries.ts').then((file) => file.prefetchKubes),
  words: ['kubernetes', 'resource-list'],
};

export const kubeBrowseScreen: BuiltScreen = {
  title: 'pages.kube',
  load: () => import('./browse-screen.tsx').then((file) => file.BrowseScreen),
  words: ['kube-browse', 'line', 'kubernetes', 'resource-list', 'document'],
};
