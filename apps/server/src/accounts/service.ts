import { AppError } from '../platform/http/error.ts';
import type { MemberPrincipal, UserPrincipal } from '../platform/http/route.ts';

export interface AccountService {
  /** Who holds the session; throws the 401. */
  identify(session: string | undefined): Promise<UserPrincipal>;
  /**
   * Whom the session speaks for in an organization; throws the 401, or the 404 for an organization that the user is
   * no member of.
   */
  authenticate(session: string | undefined, organizationId: string | undefined): Promise<MemberPrincipal>;
}

export function createAccountService(): AccountService {
  const refuse = async (): Promise<never> => {
    throw new AppError('unauthorized', 'You are not signed in.', {
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  };
  return { identify: refuse, authenticate: refuse };
}
