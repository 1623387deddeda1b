import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { isSignedOut, queries } from './queries.ts';
import { firstOrganization, rememberOrganization, sessionQuery } from './session.tsx';
import { NotFoundPage, PagePending, RouteFault } from './shell/route-states.tsx';

type Search = Partial<Record<string, string>>;

/** Search parameters are texts; a page reads those it knows. */
const validateSearch = (search: Record<string, unknown>): Search =>
  Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)]));

const root = createRootRoute({ component: Outlet, validateSearch });

/** Pages for everybody. */
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./accounts/sign-in-page.tsx'), 'Page'),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./accounts/sign-up-page.tsx'), 'Page'),
});
const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./accounts/forgot-password-page.tsx'), 'Page'),
});
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./accounts/reset-password-page.tsx'), 'Page'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./accounts/invitation-page.tsx'), 'Page'),
});
/** Pages for signed-in users, inside the shell. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
  beforeLoad: async ({ location }) => {
    try {
      return { session: await queries.ensureQueryData(sessionQuery) };
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      const search: Search = location.href === '/' ? {} : { returnTo: location.href };
      throw redirect({ to: '/sign-in', search });
    }
  },
});
const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: ({ context }) => {
    const organization = firstOrganization(context.session);
    if (organization === null) throw redirect({ to: '/new-organization' });
    throw redirect({ to: '/$organizationId', params: { organizationId: organization.id } });
  },
});
/** Where sites send readers who sign in as members. */
const readerSignIn = createRoute({
  getParentRoute: () => signedIn,
  path: '/reader-sign-in',
  component: lazyRouteComponent(() => import('./accounts/reader-sign-in-page.tsx'), 'Page'),
});
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('./accounts/account-page.tsx'), 'Page'),
});
const newOrganization = createRoute({
  getParentRoute: () => signedIn,
  path: '/new-organization',
  component: lazyRouteComponent(() => import('./organizations/new-organization-page.tsx'), 'Page'),
});
const operatorOrganizations = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/organizations',
  component: lazyRouteComponent(() => import('./operators/organizations-page.tsx'), 'Page'),
});
const operatorUsers = createRoute({
  getParentRoute: () => signedIn,
  path: '/operator/users',
  component: lazyRouteComponent(() => import('./operators/users-page.tsx'), 'Page'),
});

/** Pages of an organization. Without a membership it is not found, like one that does not exist. */
const organization = createRoute({
  getParentRoute: () => signedIn,
  path: '/$organizationId',
  beforeLoad: ({ context, params }) => {
    if (!context.session.organizations.some(({ id }) => id === params.organizationId)) throw notFound();
    rememberOrganization(params.organizationId);
  },
});
const overview = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview-page.tsx'), 'Page'),
});
const projects = createRoute({
  getParentRoute: () => organization,
  path: '/projects',
  component: lazyRouteComponent(() => import('./projects/list-page.tsx'), 'Page'),
});
const newProject = createRoute({
  getParentRoute: () => organization,
  path: '/projects/new',
  component: lazyRouteComponent(() => import('./projects/new-page.tsx'), 'Page'),
});
const project = createRoute({
  getParentRoute: () => organization,
  path: '/projects/$projectId',
  component: lazyRouteComponent(() => import('./projects/detail-page.tsx'), 'Page'),
});
const exportList = createRoute({
  getParentRoute: () => organization,
  path: '/exports',
  component: lazyRouteComponent(() => import('./exports/list-page.tsx'), 'Page'),
});
const exportDetail = createRoute({
  getParentRoute: () => organization,
  path: '/exports/$jobId',
  component: lazyRouteComponent(() => import('./exports/detail-page.tsx'), 'Page'),
});
const agentJobs = createRoute({
  getParentRoute: () => organization,
  path: '/agent',
  component: lazyRouteComponent(() => import('./agent/list-page.tsx'), 'Page'),
});
const agentJob = createRoute({
  getParentRoute: () => organization,
  path: '/agent/$projectId/$jobId',
  component: lazyRouteComponent(() => import('./agent/detail-page.tsx'), 'Page'),
});
const keys = createRoute({
  getParentRoute: () => organization,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys/keys-page.tsx'), 'Page'),
});
const members = createRoute({
  getParentRoute: () => organization,
  path: '/members',
  component: lazyRouteComponent(() => import('./organizations/members-page.tsx'), 'Page'),
});
const audit = createRoute({
  getParentRoute: () => organization,
  path: '/audit',
  component: lazyRouteComponent(() => import('./audit/audit-page.tsx'), 'Page'),
});
const usage = createRoute({
  getParentRoute: () => organization,
  path: '/usage',
  component: lazyRouteComponent(() => import('./usage/usage-page.tsx'), 'Page'),
});
const settings = createRoute({
  getParentRoute: () => organization,
  path: '/settings',
  component: lazyRouteComponent(() => import('./organizations/settings-page.tsx'), 'Page'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    signUp,
    forgotPassword,
    resetPassword,
    invitation,
    signedIn.addChildren([
      home,
      readerSignIn,
      account,
      newOrganization,
      operatorOrganizations,
      operatorUsers,
      organization.addChildren([
        overview,
        projects,
        newProject,
        project,
        exportList,
        exportDetail,
        agentJobs,
        agentJob,
        keys,
        members,
        audit,
        usage,
        settings,
      ]),
    ]),
  ]),
  defaultPreload: 'intent',
  defaultPendingMs: 300,
  defaultPendingMinMs: 0,
  defaultPendingComponent: PagePending,
  defaultErrorComponent: RouteFault,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
