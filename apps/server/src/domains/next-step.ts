import type { SiteDomain } from '@offprint/contract';
import type { StoredFinding } from '../platform/db/database.ts';
import type { Proof } from './proof.ts';

type NextStep = SiteDomain['nextStep'];

export interface StepFacts {
  state: SiteDomain['state'];
  isWildcard: boolean;
  proof: Proof;
  finding: StoredFinding | null;
  /** When a failing domain is removed from service. */
  removedAt: Date | null;
  certificate: SiteDomain['certificate'];
  /** Host name or IP address of the site servers. */
  siteTarget: string | null;
  /** Whether site servers can get the sites of this installation. */
  servesSites: boolean;
}

/** What the owner of a domain has to do next; null: nothing. A domain that is not served always has a next step. */
export function nextStepOf(facts: StepFacts): NextStep {
  if (facts.state === 'failing') return restore(facts);
  if (facts.state === 'verified') return serving(facts) ?? pointing(facts) ?? certificateStep(facts);
  return proving(facts);
}

function serving({ servesSites }: StepFacts): NextStep {
  if (servesSites) return null;
  return {
    code: 'start_site_servers',
    message:
      'The domain is verified, but this installation serves no sites. Ask an operator to set OFFPRINT_HOSTING_TOKEN and to start site servers. Exports for the domain do not need them.',
  };
}

function proving({ finding, proof, state }: StepFacts): NextStep {
  const { record, file } = proof;
  const create = `Create a TXT record with the name ${record.name} and the value ${record.value} at the DNS provider of the domain.`;
  const orFile = file === null ? '' : ` Or serve a file with the content ${file.content} at ${file.url}.`;
  if (finding?.isOwnedElsewhere === true) {
    return {
      code: 'release_elsewhere',
      message: `The record is correct, but another organization of this installation owns ${proof.host}. Ask it to release the domain, or remove its TXT record; the domain is then verified at one of the next checks.`,
    };
  }
  if (finding?.dns === 'failed') {
    return {
      code: 'fix_record',
      message: `The TXT record ${record.name} could not be looked up. Check that the domain is registered and that its name servers respond. ${create}${orFile}`,
    };
  }
  if (finding?.dns === 'different') {
    return {
      code: 'fix_record',
      message: `The TXT record ${record.name} has another value (${finding.texts.join(', ')}). Add a TXT record with the same name and the value ${record.value}; other values may stay.${orFile}`,
    };
  }
  const again = state === 'expired' ? 'The domain was removed from service. ' : '';
  const hint = `Some providers append the domain to the name: enter the name without it there. A new record can take some minutes to be visible.`;
  return { code: 'create_record', message: `${again}${create} ${hint}${orFile}` };
}

function restore({ proof, removedAt, finding }: StepFacts): NextStep {
  const until = removedAt === null ? '' : ` before ${removedAt.toISOString()}`;
  const found = finding?.dns === 'different' ? ` It has another value (${finding.texts.join(', ')}).` : '';
  return {
    code: 'restore_record',
    message: `The proof of the domain is missing.${found} Create the TXT record ${proof.record.name} with the value ${proof.record.value}${until}; after that time, the domain is removed from service.`,
  };
}

function pointing({ isWildcard, finding, proof, siteTarget }: StepFacts): NextStep {
  if (isWildcard || finding === null) return null;
  const target = siteTarget === null ? 'the site servers of this installation' : siteTarget;
  const kind =
    siteTarget !== null && /^[\d.]+$|:/.test(siteTarget) ? 'an A or AAAA record' : 'a CNAME record';
  const create = `Create ${kind} for ${proof.host} that points to ${target}. For a domain without a subdomain, use an A, AAAA or ALIAS record.`;
  if (finding.addresses.length === 0)
    return {
      code: 'point_domain',
      message: `The domain has no IP address, so browsers cannot reach it. ${create}`,
    };
  if (finding.pointsHere !== false) return null;
  return {
    code: 'point_domain',
    message: `The domain points to ${finding.addresses.join(', ')} and not to ${target}. ${create} If a proxy or CDN is in front of the site servers, nothing is to be done.`,
  };
}

function certificateStep({ certificate }: StepFacts): NextStep {
  if (certificate === null || certificate.error === null) return null;
  return {
    code: 'fix_certificate',
    message: `The certificate authority refused a certificate: ${certificate.error} Check that the domain points to the site servers and that its CAA records allow the authority, then check the domain again.`,
  };
}
