/** What a page asks of a cluster, by its kind. */
import type { BrowseRequest } from '@gatehouse/contract/kinds/kube/browse';

type Of<Type extends BrowseRequest['type']> = Extract<BrowseRequest, { type: Type }>;
export type ListRequest = Of<'list'>;
export type ObjectRequest = Of<'object'>;
export type LogsRequest = Of<'logs'>;
export type SearchRequest = Of<'search'>;
export type WriteRequest = Of<'patch' | 'create'>;
export type RemoveRequest = Of<'remove'>;
export type TaskRequest = Exclude<BrowseRequest, Of<'factor' | 'ack' | 'cancel'>>;
