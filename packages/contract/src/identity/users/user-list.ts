/** The list of users a page at a time, for those who look for somebody among many. */
import { defineRoutes } from '../../wire/route.ts';
import { userPage, userQuery } from './find-users.ts';

export const userListRoutes = defineRoutes({
  find: {
    method: 'GET',
    path: '/v1/webapi/sites/:clusterId/users',
    summary: 'Users who fit a search and filters, sorted, a page at a time, with how many there are of each kind.',
    auth: 'signed-in',
    needs: ['users', 'list'],
    query: userQuery,
    reply: userPage,
  },
});
