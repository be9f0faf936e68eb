/** The SSH door of this gateway, for screens that tell how to come in by it. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { pingQuery } from '../../platform/api/ping-query.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { readSshDoor, type SshDoor } from './ssh-door.ts';

/** Nothing until the gateway has answered, either: what is told of it is beside other things. */
export function useSshDoor(): SshDoor | undefined {
  const { data } = useQuery(pingQuery(useApi()));
  return data && readSshDoor(data, window.location.hostname);
}

export function useSshDoorAtOnce(): SshDoor | undefined {
  return readSshDoor(useSuspenseQuery(pingQuery(useApi())).data, window.location.hostname);
}
