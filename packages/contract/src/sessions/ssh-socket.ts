/**
 * One SSH connection to one server over a websocket, as contract/sessions/tcp-frames.ts has it. The hello says who it is: within,
 * SSH asks for no key, and for a code only where a role wants a second factor.
 */
export const SSH_SOCKET = '/v1/webapi/sites/:clusterId/ssh/:name';
