// Residual of three blocks, each weighted by a softmax of its score: a learned query times its normalized row.
// Made by lngen 0.1.0 from the definition of attention_residuals; derivation.md has its steps, cost and evidence.
// Do not edit; edit attention_residuals.py and run: lngen derive attention_residuals.py
// Open: exp overflows where rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) is above 88.7 in float32, as in 16 bits, and 709.7 in float64, and the result with it, or to no number.
// definition sha256:e5302ea861723779ede97452db2b86272be0da54d6d3887241623d08a4df7900
//
// forward:
//     a = at(x, n=0)
//     b = at(x, n=1)
//     c = at(x, n=2)
//     sum_a_query = sum(query*a)
//     ms = mean(a**2)
//     rstd = 1/sqrt(ms + eps)
//     sum_b_query = sum(query*b)
//     ms_2 = mean(b**2)
//     rstd_2 = 1/sqrt(ms_2 + eps)
//     sum_c_query = sum(query*c)
//     ms_3 = mean(c**2)
//     rstd_3 = 1/sqrt(ms_3 + eps)
//     largest = where(rstd*sum_a_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) > rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd*sum_a_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd_2*sum_b_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
//     largest_2 = where(largest > 0, largest, 0)
//     p_shifted = exp(rstd*sum_a_query - largest_2 - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
//     q_shifted = exp(rstd_2*sum_b_query - largest_2 - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
//     r = exp(rstd_3*sum_c_query - where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query))
//     ahat = p_shifted*a
//     bhat = q_shifted*b
//     exp_largest_2 = exp(-largest_2)
//     chat = exp_largest_2*r*c
//     scale = 1/(p_shifted + q_shifted + exp_largest_2*r)
//     y = scale*(ahat + bhat + chat)
// backward:
//     dchat = scale*dy
//     dbhat = scale*dy
//     dahat = scale*dy
//     drstd_2 = q_shifted*(sum(b*dbhat) - scale*sum(dy*y))*(sum_b_query + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -sum_b_query), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -p_shifted*sum_b_query*(sum(a*dahat) - scale*sum(dy*y)) - r*sum_b_query*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y))), 0)
//     dsum_b_query = q_shifted*(sum(b*dbhat) - scale*sum(dy*y))*(rstd_2 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -rstd_2), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -p_shifted*rstd_2*(sum(a*dahat) - scale*sum(dy*y)) - r*rstd_2*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y))), 0)
//     drstd = p_shifted*(sum(a*dahat) - scale*sum(dy*y))*(sum_a_query + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -sum_a_query, 0), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -q_shifted*sum_a_query*(sum(b*dbhat) - scale*sum(dy*y)) - r*sum_a_query*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y)), 0), 0)
//     dsum_a_query = p_shifted*(sum(a*dahat) - scale*sum(dy*y))*(rstd + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd, 0), 0)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -q_shifted*rstd*(sum(b*dbhat) - scale*sum(dy*y)) - r*rstd*(sum(exp_largest_2*c*dchat) - exp_largest_2*scale*sum(dy*y)), 0), 0)
//     da = dsum_a_query*query + p_shifted*dahat - drstd*rstd**3*a/D
//     db = dsum_b_query*query + q_shifted*dbhat - drstd_2*rstd_2**3*b/D
//     dc_part = exp_largest_2*r*dchat
//     g = ahat + bhat + chat
//     dc = dc_part + exp_largest_2*r*(mean(c*dchat) - scale**2*mean(dy*g))*(D*query*(rstd_3 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -rstd_3)) - rstd_3**3*c*(sum_c_query + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -sum_c_query))) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, p_shifted*rstd_3**3*sum_c_query*c*(sum(a*dahat) - scale**2*sum(dy*g))/D + q_shifted*rstd_3**3*sum_c_query*c*(sum(b*dbhat) - scale**2*sum(dy*g))/D - p_shifted*rstd_3*query*(sum(a*dahat) - scale**2*sum(dy*g)) - q_shifted*rstd_3*query*(sum(b*dbhat) - scale**2*sum(dy*g)))
//     dquery = sum_rows(dsum_a_query*a + dsum_b_query*b + D*r*c*(mean(exp_largest_2*c*dchat) - exp_largest_2*scale*mean(dy*y))*(rstd_3 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -rstd_3)) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -p_shifted*rstd_3*c*(sum(a*dahat) - scale*sum(dy*y)) - q_shifted*rstd_3*c*(sum(b*dbhat) - scale*sum(dy*y))))
//     dx = join(da, db, dc)
// jvp:
//     a_dot = at(x_dot, n=0)
//     b_dot = at(x_dot, n=1)
//     c_dot = at(x_dot, n=2)
//     sum_a_query_dot = sum(query_dot*a + query*a_dot)
//     ms_dot = mean(2*a*a_dot)
//     rstd_dot = -ms_dot*rstd**3/2
//     sum_b_query_dot = sum(query_dot*b + query*b_dot)
//     ms_2_dot = mean(2*b*b_dot)
//     rstd_2_dot = -ms_2_dot*rstd_2**3/2
//     sum_c_query_dot = sum(query_dot*c + query*c_dot)
//     ms_3_dot = mean(2*c*c_dot)
//     rstd_3_dot = -ms_3_dot*rstd_3**3/2
//     part_dot = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd_dot*sum_a_query - rstd*sum_a_query_dot, -rstd_2_dot*sum_b_query - rstd_2*sum_b_query_dot), -rstd_3_dot*sum_c_query - rstd_3*sum_c_query_dot)
//     p_shifted_dot = p_shifted*part_dot + p_shifted*rstd_dot*sum_a_query + p_shifted*rstd*sum_a_query_dot
//     part_2_dot = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd_dot*sum_a_query - rstd*sum_a_query_dot, -rstd_2_dot*sum_b_query - rstd_2*sum_b_query_dot), -rstd_3_dot*sum_c_query - rstd_3*sum_c_query_dot)
//     q_shifted_dot = part_2_dot*q_shifted + q_shifted*rstd_2_dot*sum_b_query + q_shifted*rstd_2*sum_b_query_dot
//     part_3_dot = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -rstd_dot*sum_a_query - rstd*sum_a_query_dot, -rstd_2_dot*sum_b_query - rstd_2*sum_b_query_dot), -rstd_3_dot*sum_c_query - rstd_3*sum_c_query_dot)
//     r_dot = part_3_dot*r + r*rstd_3_dot*sum_c_query + r*rstd_3*sum_c_query_dot
//     ahat_dot = p_shifted_dot*a + p_shifted*a_dot
//     bhat_dot = q_shifted_dot*b + q_shifted*b_dot
//     chat_dot = exp_largest_2*r_dot*c + exp_largest_2*r*c_dot
//     scale_dot = -p_shifted_dot*scale**2 - q_shifted_dot*scale**2 - exp_largest_2*r_dot*scale**2
//     y_dot = scale*ahat_dot + scale*bhat_dot + scale*chat_dot + scale_dot*(ahat + bhat + chat)
// backward_backward:
//     dda = at(ddx, n=0)
//     ddb = at(ddx, n=1)
//     ddc = at(ddx, n=2)
//     part = -where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query)
//     part_2 = -where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query)
//     part_3 = -where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query)
//     mean_product = mean(dy*(ahat + bhat + chat))
//     dscale = D*mean_product
//     dchat = scale*dy
//     dbhat = scale*dy
//     dahat = scale*dy
//     mean_c_dchat = mean(exp_largest_2*c*dchat)
//     dr = D*mean_c_dchat - dscale*exp_largest_2/(p_shifted + q_shifted + exp_largest_2*r)**2
//     dpart_3 = dr*exp(part_3 + rstd_3*sum_c_query)
//     mean_b_dbhat = mean(b*dbhat)
//     dq_shifted = D*mean_b_dbhat - dscale/(p_shifted + q_shifted + exp_largest_2*r)**2
//     dpart_2 = dq_shifted*exp(part_2 + rstd_2*sum_b_query - largest_2)
//     mean_a_dahat = mean(a*dahat)
//     dp_shifted = D*mean_a_dahat - dscale/(p_shifted + q_shifted + exp_largest_2*r)**2
//     dpart = dp_shifted*exp(part + rstd*sum_a_query - largest_2)
//     part_4 = dr*sum_c_query*exp(part_3 + rstd_3*sum_c_query)
//     drstd_3 = part_4 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -dpart*sum_c_query - dpart_2*sum_c_query - dpart_3*sum_c_query)
//     dms_3 = -drstd_3/(2*(ms_3 + eps)**(3/2))
//     part_5 = dr*rstd_3*exp(part_3 + rstd_3*sum_c_query)
//     dsum_c_query = part_5 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, -dpart*rstd_3 - dpart_2*rstd_3 - dpart_3*rstd_3)
//     part_6 = dq_shifted*sum_b_query*exp(part_2 + rstd_2*sum_b_query - largest_2)
//     drstd_2 = part_6 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -dpart*sum_b_query - dpart_2*sum_b_query - dpart_3*sum_b_query), 0)
//     dms_2 = -drstd_2/(2*(ms_2 + eps)**(3/2))
//     part_7 = dq_shifted*rstd_2*exp(part_2 + rstd_2*sum_b_query - largest_2)
//     dsum_b_query = part_7 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, -dpart*rstd_2 - dpart_2*rstd_2 - dpart_3*rstd_2), 0)
//     part_8 = dp_shifted*sum_a_query*exp(part + rstd*sum_a_query - largest_2)
//     drstd = part_8 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -dpart*sum_a_query - dpart_2*sum_a_query - dpart_3*sum_a_query, 0), 0)
//     dms = -drstd/(2*(ms + eps)**(3/2))
//     part_9 = dp_shifted*rstd*exp(part + rstd*sum_a_query - largest_2)
//     dsum_a_query = part_9 + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -dpart*rstd - dpart_2*rstd - dpart_3*rstd, 0), 0)
//     ddsum_a_query = sum(ddquery*a) + sum(query*dda)
//     dpart_9 = ddsum_a_query
//     ddms = sum(2*a*dda/D)
//     ddrstd = -ddms*rstd**3/2
//     dpart_8 = ddrstd
//     ddsum_b_query = sum(ddquery*b) + sum(query*ddb)
//     dpart_7 = ddsum_b_query
//     ddms_2 = sum(2*b*ddb/D)
//     ddrstd_2 = -ddms_2*rstd_2**3/2
//     dpart_6 = ddrstd_2
//     ddsum_c_query = sum(ddquery*c) + sum(query*ddc)
//     dpart_5 = ddsum_c_query
//     ddms_3 = sum(2*c*ddc/D)
//     ddrstd_3 = -ddms_3*rstd_3**3/2
//     dpart_4 = ddrstd_3
//     ddpart = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd, -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query - ddsum_c_query*rstd_3)
//     ddp_shifted = ddpart*p_shifted + dpart_8*p_shifted*sum_a_query + dpart_9*p_shifted*rstd
//     dmean_a_dahat = D*ddp_shifted
//     ddpart_2 = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd, -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query - ddsum_c_query*rstd_3)
//     ddq_shifted = ddpart_2*q_shifted + dpart_6*q_shifted*sum_b_query + dpart_7*q_shifted*rstd_2
//     dmean_b_dbhat = D*ddq_shifted
//     ddpart_3 = where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd, -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query - ddsum_c_query*rstd_3)
//     ddr = ddpart_3*r + dpart_4*r*sum_c_query + dpart_5*r*rstd_3
//     dmean_c_dchat = D*ddr
//     ddahat = p_shifted*dda + dmean_a_dahat*a/D
//     ddbhat = q_shifted*ddb + dmean_b_dbhat*b/D
//     ddchat = exp_largest_2*r*ddc + dmean_c_dchat*exp_largest_2*c/D
//     ddscale = -ddp_shifted*scale**2 - ddq_shifted*scale**2 - ddr*exp_largest_2*scale**2
//     dmean_product = D*ddscale
//     d2scale = sum(ddahat*dy) + sum(ddbhat*dy) + sum(ddchat*dy)
//     d2chat = dmean_product*dy/D
//     d2bhat = dmean_product*dy/D
//     d2ahat = dmean_product*dy/D
//     d2r = 2*ddp_shifted*dscale*exp_largest_2*scale**3 + 2*ddq_shifted*dscale*exp_largest_2*scale**3 + 2*ddr*dscale*exp_largest_2**2*scale**3 + sum(exp_largest_2*c*d2chat) + sum(exp_largest_2*dchat*ddc) - d2scale*exp_largest_2*scale**2
//     d2part_3 = d2r*r + ddpart_3*dr*r + dpart_4*dr*r*sum_c_query + dpart_5*dr*r*rstd_3
//     d2q_shifted = 2*ddp_shifted*dscale*scale**3 + 2*ddq_shifted*dscale*scale**3 + 2*ddr*dscale*exp_largest_2*scale**3 + sum(b*d2bhat) + sum(dbhat*ddb) - d2scale*scale**2
//     d2part_2 = d2q_shifted*q_shifted + ddpart_2*dq_shifted*q_shifted + dpart_6*dq_shifted*q_shifted*sum_b_query + dpart_7*dq_shifted*q_shifted*rstd_2
//     d2p_shifted = 2*ddp_shifted*dscale*scale**3 + 2*ddq_shifted*dscale*scale**3 + 2*ddr*dscale*exp_largest_2*scale**3 + sum(a*d2ahat) + sum(dahat*dda) - d2scale*scale**2
//     d2part = d2p_shifted*p_shifted + ddpart*dp_shifted*p_shifted + dp_shifted*dpart_8*p_shifted*sum_a_query + dp_shifted*dpart_9*p_shifted*rstd
//     d2rstd_3 = d2r*r*sum_c_query + ddpart_3*dr*r*sum_c_query + dpart_4*dr*r*sum_c_query**2 + dpart_5*(dr*r + dr*r*rstd_3*sum_c_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, (-ddsum_c_query*(dpart + dpart_2 + dpart_3)) - d2part*sum_c_query - d2part_2*sum_c_query - d2part_3*sum_c_query)
//     d2ms_3 = 3*ddms_3*drstd_3*rstd_3**5/4 - d2rstd_3*rstd_3**3/2
//     d2sum_c_query = d2r*r*rstd_3 + ddpart_3*dr*r*rstd_3 + dpart_5*dr*r*rstd_3**2 + dpart_4*(dr*r + dr*r*rstd_3*sum_c_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, 0, (-ddrstd_3*(dpart + dpart_2 + dpart_3)) - d2part*rstd_3 - d2part_2*rstd_3 - d2part_3*rstd_3)
//     d2rstd_2 = d2q_shifted*q_shifted*sum_b_query + ddpart_2*dq_shifted*q_shifted*sum_b_query + dpart_6*dq_shifted*q_shifted*sum_b_query**2 + dpart_7*(dq_shifted*q_shifted + dq_shifted*q_shifted*rstd_2*sum_b_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, (-ddsum_b_query*(dpart + dpart_2 + dpart_3)) - d2part*sum_b_query - d2part_2*sum_b_query - d2part_3*sum_b_query), 0)
//     d2ms_2 = 3*ddms_2*drstd_2*rstd_2**5/4 - d2rstd_2*rstd_2**3/2
//     d2sum_b_query = d2q_shifted*q_shifted*rstd_2 + ddpart_2*dq_shifted*q_shifted*rstd_2 + dpart_7*dq_shifted*q_shifted*rstd_2**2 + dpart_6*(dq_shifted*q_shifted + dq_shifted*q_shifted*rstd_2*sum_b_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, 0, (-ddrstd_2*(dpart + dpart_2 + dpart_3)) - d2part*rstd_2 - d2part_2*rstd_2 - d2part_3*rstd_2), 0)
//     d2rstd = d2p_shifted*p_shifted*sum_a_query + ddpart*dp_shifted*p_shifted*sum_a_query + dp_shifted*dpart_8*p_shifted*sum_a_query**2 + dpart_9*(dp_shifted*p_shifted + dp_shifted*p_shifted*rstd*sum_a_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, (-ddsum_a_query*(dpart + dpart_2 + dpart_3)) - d2part*sum_a_query - d2part_2*sum_a_query - d2part_3*sum_a_query, 0), 0)
//     d2ms = 3*ddms*drstd*rstd**5/4 - d2rstd*rstd**3/2
//     d2sum_a_query = d2p_shifted*p_shifted*rstd + ddpart*dp_shifted*p_shifted*rstd + dp_shifted*dpart_9*p_shifted*rstd**2 + dpart_8*(dp_shifted*p_shifted + dp_shifted*p_shifted*rstd*sum_a_query) + where(where(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, where(rstd*sum_a_query > rstd_2*sum_b_query, (-ddrstd*(dpart + dpart_2 + dpart_3)) - d2part*rstd - d2part_2*rstd - d2part_3*rstd, 0), 0)
//     d2a = d2sum_a_query*query + p_shifted*d2ahat + dsum_a_query*ddquery + dmean_a_dahat*dahat/D + 2*d2ms*a/D + 2*dms*dda/D
//     d2b = d2sum_b_query*query + q_shifted*d2bhat + dsum_b_query*ddquery + dmean_b_dbhat*dbhat/D + 2*d2ms_2*b/D + 2*dms_2*ddb/D
//     d2c = d2sum_c_query*query + dsum_c_query*ddquery + exp_largest_2*r*d2chat + 2*d2ms_3*c/D + dmean_c_dchat*exp_largest_2*dchat/D + 2*dms_3*ddc/D
//     d2query = sum_rows(d2sum_a_query*a + d2sum_b_query*b + d2sum_c_query*c + dsum_a_query*dda + dsum_b_query*ddb + dsum_c_query*ddc)
//     ddy = scale*ddahat + scale*ddbhat + scale*ddchat + dmean_product*(ahat + bhat + chat)/D
//     d2x = join(d2a, d2b, d2c)

// An argument that is left out, and all work for it and its gradient, is compiled away.
namespace lngen::LNGEN_SPACE {
constexpr bool HAS_a_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_a_dot);
constexpr bool HAS_b_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_b_dot);
constexpr bool HAS_c_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_c_dot);
constexpr bool HAS_dda = LNGEN_UNDEFINED(LNGEN_WITHOUT_dda);
constexpr bool HAS_ddb = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddb);
constexpr bool HAS_ddc = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddc);
constexpr bool HAS_ddquery = LNGEN_UNDEFINED(LNGEN_WITHOUT_ddquery);
constexpr bool HAS_query_dot = LNGEN_UNDEFINED(LNGEN_WITHOUT_query_dot);
}  // namespace lngen::LNGEN_SPACE

// ================================================================================================ forward

namespace lngen::LNGEN_SPACE::forward {

constexpr Name<ROWS, 0> A_;
constexpr Name<ROWS, 1> B;
constexpr Name<ROWS, 2> C;
constexpr Name<FEATURES, 0> QUERY;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<ROWS_OUT, 0> Y;
constexpr Name<SAVED_OUT, 0> SUM_A_QUERY;
constexpr Name<SAVED_OUT, 1> RSTD;
constexpr Name<SAVED_OUT, 2> SUM_B_QUERY;
constexpr Name<SAVED_OUT, 3> RSTD_2;
constexpr Name<SAVED_OUT, 4> SUM_C_QUERY;
constexpr Name<SAVED_OUT, 5> RSTD_3;
constexpr Name<SAVED_OUT, 6> P_SHIFTED;
constexpr Name<SAVED_OUT, 7> Q_SHIFTED;
constexpr Name<SAVED_OUT, 8> R;
constexpr Name<SAVED_OUT, 9> EXP_LARGEST_2;
constexpr Name<SAVED_OUT, 10> EXP_LARGEST_2_SCALED;
constexpr Name<SAVED_OUT, 11> SCALE;
using Given = decltype(names(A_, B, C, QUERY, EPS, Y, SUM_A_QUERY, RSTD, SUM_B_QUERY, RSTD_2, SUM_C_QUERY, RSTD_3, P_SHIFTED, Q_SHIFTED, R, EXP_LARGEST_2, EXP_LARGEST_2_SCALED, SCALE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 6, 0, 18, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto eps = row(EPS);
    const auto stage_1 = row.sums([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto c = at(C);
      const auto query = at(QUERY);
      return terms(a*query, a*a, b*query, b*b, c*query, c*c);
    });
    const auto sum_a_query = get<0>(stage_1);  // step 1: sum(query*a)
    const auto ms = math::quotient(get<1>(stage_1), row.D);  // step 2: mean(a**2)
    const auto sum_b_query = get<2>(stage_1);  // step 4: sum(query*b)
    const auto ms_2 = math::quotient(get<3>(stage_1), row.D);  // step 5: mean(b**2)
    const auto sum_c_query = get<4>(stage_1);  // step 7: sum(query*c)
    const auto ms_3 = math::quotient(get<5>(stage_1), row.D);  // step 8: mean(c**2)
    const auto rstd = math::rsqrt(ms + eps);  // step 3
    const auto rstd_2 = math::rsqrt(ms_2 + eps);  // step 6
    const auto rstd_3 = math::rsqrt(ms_3 + eps);  // step 9
    const auto largest = choose<A>(rstd*sum_a_query - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) > rstd_2*sum_b_query - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd*sum_a_query - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd_2*sum_b_query - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query));  // step 10
    const auto largest_2 = choose<A>(largest > A(0), largest, A(0));  // step 11
    const auto p_shifted = math::exp(rstd*sum_a_query - largest_2 - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query));  // step 12
    const auto q_shifted = math::exp(rstd_2*sum_b_query - largest_2 - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query));  // step 13
    const auto r = math::exp(rstd_3*sum_c_query - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query));  // step 14
    const auto exp_largest_2 = math::exp(-largest_2);  // step 17
    const auto exp_largest_2_scaled = exp_largest_2*r;  // step 18, pass 1
    const auto scale = A(1) / (p_shifted + q_shifted + exp_largest_2*r);  // step 19
    row.each([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto c = at(C);
      const auto ahat = a*p_shifted;  // step 15
      const auto bhat = b*q_shifted;  // step 16
      const auto chat = c*exp_largest_2_scaled;  // step 18, pass 2
      at.store(Y, (ahat + bhat + chat)*scale);  // step 20
    });
    row.save(SUM_A_QUERY, sum_a_query);
    row.save(RSTD, rstd);
    row.save(SUM_B_QUERY, sum_b_query);
    row.save(RSTD_2, rstd_2);
    row.save(SUM_C_QUERY, sum_c_query);
    row.save(RSTD_3, rstd_3);
    row.save(P_SHIFTED, p_shifted);
    row.save(Q_SHIFTED, q_shifted);
    row.save(R, r);
    row.save(EXP_LARGEST_2, exp_largest_2);
    row.save(EXP_LARGEST_2_SCALED, exp_largest_2_scaled);
    row.save(SCALE, scale);
  }
};

}  // namespace lngen::LNGEN_SPACE::forward

// ================================================================================================ backward

namespace lngen::LNGEN_SPACE::backward {

constexpr Name<ROWS, 0> A_;
constexpr Name<ROWS, 1> B;
constexpr Name<ROWS, 2> C;
constexpr Name<ROWS, 3> DY;
constexpr Name<SAVED, 0> SUM_A_QUERY;
constexpr Name<SAVED, 1> RSTD;
constexpr Name<SAVED, 2> SUM_B_QUERY;
constexpr Name<SAVED, 3> RSTD_2;
constexpr Name<SAVED, 4> SUM_C_QUERY;
constexpr Name<SAVED, 5> RSTD_3;
constexpr Name<SAVED, 6> P_SHIFTED;
constexpr Name<SAVED, 7> Q_SHIFTED;
constexpr Name<SAVED, 8> R;
constexpr Name<SAVED, 9> EXP_LARGEST_2;
constexpr Name<SAVED, 10> EXP_LARGEST_2_SCALED;
constexpr Name<SAVED, 11> SCALE;
constexpr Name<FEATURES, 0> QUERY;
constexpr Name<ROWS_OUT, 0> DA;
constexpr Name<ROWS_OUT, 1> DB;
constexpr Name<ROWS_OUT, 2> DC;
constexpr Name<OVER_ROWS, 0> DQUERY;
using Given = decltype(names(A_, B, C, DY, SUM_A_QUERY, RSTD, SUM_B_QUERY, RSTD_2, SUM_C_QUERY, RSTD_3, P_SHIFTED, Q_SHIFTED, R, EXP_LARGEST_2, EXP_LARGEST_2_SCALED, SCALE, QUERY, DA, DB, DC, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(DQUERY)), 5, 0, 40, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto sum_a_query = row(SUM_A_QUERY), rstd = row(RSTD), sum_b_query = row(SUM_B_QUERY), rstd_2 = row(RSTD_2), sum_c_query = row(SUM_C_QUERY), rstd_3 = row(RSTD_3), p_shifted = row(P_SHIFTED), q_shifted = row(Q_SHIFTED), r = row(R), exp_largest_2 = row(EXP_LARGEST_2), exp_largest_2_scaled = row(EXP_LARGEST_2_SCALED), scale = row(SCALE);
    const auto exp_largest_2_scaled_2 = exp_largest_2*r;  // step 61, pass 3
    const auto sum_c_query_scaled = (rstd_3 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, A(0), -rstd_3))*row.D;  // step 66, pass 4
    const auto sum_c_query_scaled_2 = math::power<3>(rstd_3)*(sum_c_query + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, A(0), -sum_c_query));  // step 66, pass 5
    const auto sum_b_query_shifted = choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query);  // step 66, pass 6
    const auto sum_c_query_scaled_3 = rstd_3*sum_c_query;  // step 66, pass 7
    const auto stage_2 = row.sums([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto c = at(C);
      const auto dy = at(DY);
      const auto ahat = a*p_shifted;  // step 15
      const auto bhat = b*q_shifted;  // step 16
      const auto chat = c*exp_largest_2_scaled;  // step 18, pass 2
      const auto y = (ahat + bhat + chat)*scale;  // step 20
      const auto dchat = dy*scale;  // step 22
      const auto dbhat = dy*scale;  // step 23
      const auto dahat = dy*scale;  // step 21
      const auto g = ahat + bhat + chat;  // step 62
      return terms(dy*y, b*dbhat, a*dahat, c*dchat, dy*g);
    });
    const auto mean_dy_y = math::quotient(get<0>(stage_2), row.D);  // step 71: mean(dy*y)
    const auto sum_b_dbhat = get<1>(stage_2);  // step 47: sum(b*dbhat)
    const auto sum_a_dahat = get<2>(stage_2);  // step 47: sum(a*dahat)
    const auto mean_c_dchat = math::quotient(get<3>(stage_2), row.D);  // step 66: mean(c*dchat)
    const auto mean_dy_g = math::quotient(get<4>(stage_2), row.D);  // step 66: mean(dy*g)
    const auto sum_dy_y = mean_dy_y*row.D;  // step 47, pass 10
    const auto sum_c_dchat = exp_largest_2*mean_c_dchat*row.D;  // step 47, pass 11
    const auto drstd_2 = (sum_b_dbhat - scale*sum_dy_y)*q_shifted*(sum_b_query + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, A(0), -sum_b_query), A(0))) + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, A(0), -(sum_a_dahat - scale*sum_dy_y)*p_shifted*sum_b_query - (sum_c_dchat - exp_largest_2*scale*sum_dy_y)*r*sum_b_query), A(0));  // step 47
    const auto dsum_b_query = (sum_b_dbhat - scale*sum_dy_y)*q_shifted*(rstd_2 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, A(0), -rstd_2), A(0))) + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, A(0), -(sum_a_dahat - scale*sum_dy_y)*p_shifted*rstd_2 - (sum_c_dchat - exp_largest_2*scale*sum_dy_y)*r*rstd_2), A(0));  // step 53
    const auto drstd = (sum_a_dahat - scale*sum_dy_y)*p_shifted*(sum_a_query + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -sum_a_query, A(0)), A(0))) + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -(sum_b_dbhat - scale*sum_dy_y)*q_shifted*sum_a_query - (sum_c_dchat - exp_largest_2*scale*sum_dy_y)*r*sum_a_query, A(0)), A(0));  // step 32
    const auto dsum_a_query = (sum_a_dahat - scale*sum_dy_y)*p_shifted*(rstd + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -rstd, A(0)), A(0))) + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -(sum_b_dbhat - scale*sum_dy_y)*q_shifted*rstd - (sum_c_dchat - exp_largest_2*scale*sum_dy_y)*r*rstd, A(0)), A(0));  // step 38
    const auto drstd_scaled = math::quotient(drstd*math::power<3>(rstd), row.D);  // step 42, pass 12
    const auto drstd_2_scaled = math::quotient(drstd_2*math::power<3>(rstd_2), row.D);  // step 57, pass 13
    const auto sum_dy_g = mean_dy_g*row.D;  // step 66, pass 14
    const auto exp_largest_2_scaled_3 = exp_largest_2*(mean_c_dchat - mean_dy_g*(scale*scale))*r;  // step 66, pass 15
    const auto sum_a_dahat_scaled = (sum_a_dahat - (scale*scale)*sum_dy_g)*p_shifted*rstd_3;  // step 66, pass 16
    const auto sum_b_dbhat_scaled = (sum_b_dbhat - (scale*scale)*sum_dy_g)*q_shifted*rstd_3;  // step 66, pass 17
    const auto sum_c_query_scaled_4 = math::quotient((sum_a_dahat - (scale*scale)*sum_dy_g)*p_shifted*math::power<3>(rstd_3)*sum_c_query, row.D);  // step 66, pass 18
    const auto sum_c_query_scaled_5 = math::quotient((sum_b_dbhat - (scale*scale)*sum_dy_g)*q_shifted*math::power<3>(rstd_3)*sum_c_query, row.D);  // step 66, pass 19
    const auto mean_c_dchat_2 = exp_largest_2*mean_c_dchat;  // step 71, pass 20
    const auto mean_c_dchat_2_scaled = (mean_c_dchat_2 - exp_largest_2*mean_dy_y*scale)*r*(rstd_3 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, A(0), -rstd_3))*row.D;  // step 71, pass 21
    const auto sum_a_dahat_scaled_2 = (sum_a_dahat - scale*sum_dy_y)*p_shifted*rstd_3;  // step 71, pass 22
    const auto sum_b_dbhat_scaled_2 = (sum_b_dbhat - scale*sum_dy_y)*q_shifted*rstd_3;  // step 71, pass 23
    row.each([&](auto at) {
      using A = typename decltype(at)::A;
      const auto a = at(A_);
      const auto b = at(B);
      const auto c = at(C);
      const auto dy = at(DY);
      const auto query = at(QUERY);
      const auto dchat = dy*scale;  // step 22
      const auto dbhat = dy*scale;  // step 23
      const auto dahat = dy*scale;  // step 21
      const auto dc_part = dchat*exp_largest_2_scaled_2;  // step 61, pass 26
      at.over_rows(DQUERY, a*dsum_a_query + b*dsum_b_query + c*mean_c_dchat_2_scaled + choose<A>(A(sum_b_query_shifted) > A(sum_c_query_scaled_3), A(0), -c*sum_a_dahat_scaled_2 - c*sum_b_dbhat_scaled_2));  // step 71, pass 28: dquery
      at.store(DA, dahat*p_shifted + dsum_a_query*query - a*drstd_scaled);  // step 42, pass 24
      at.store(DB, dbhat*q_shifted + dsum_b_query*query - b*drstd_2_scaled);  // step 57, pass 25
      at.store(DC, dc_part + (sum_c_query_scaled*query - c*sum_c_query_scaled_2)*exp_largest_2_scaled_3 + choose<A>(A(sum_b_query_shifted) > A(sum_c_query_scaled_3), A(0), c*sum_c_query_scaled_4 + c*sum_c_query_scaled_5 - sum_a_dahat_scaled*query - sum_b_dbhat_scaled*query));  // step 66, pass 27
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, Zero> QUERY;
constexpr Name<FEATURES_OUT, 0> OUT_DQUERY;
using Given = decltype(names(WORKSPACE, BLOCKS, QUERY, OUT_DQUERY, D));

struct Layer : ColumnsOf<backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) { at.store(OUT_DQUERY, at(DQUERY)); });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward

// ================================================================================================ jvp

namespace lngen::LNGEN_SPACE::jvp {

constexpr Name<ROWS, 0, HAS_a_dot || HAS_b_dot || HAS_c_dot || HAS_query_dot, Zero> A_;
constexpr Name<ROWS, 1, HAS_a_dot || HAS_b_dot || HAS_c_dot || HAS_query_dot, Zero> B;
constexpr Name<ROWS, 2, HAS_a_dot || HAS_b_dot || HAS_c_dot || HAS_query_dot, Zero> C;
constexpr Name<ROWS, 3, HAS_a_dot, Zero> A_DOT;
constexpr Name<ROWS, 4, HAS_b_dot, Zero> B_DOT;
constexpr Name<ROWS, 5, HAS_c_dot, Zero> C_DOT;
constexpr Name<SAVED, 0> SUM_A_QUERY;
constexpr Name<SAVED, 1> RSTD;
constexpr Name<SAVED, 2> SUM_B_QUERY;
constexpr Name<SAVED, 3> RSTD_2;
constexpr Name<SAVED, 4> SUM_C_QUERY;
constexpr Name<SAVED, 5> RSTD_3;
constexpr Name<SAVED, 6> P_SHIFTED;
constexpr Name<SAVED, 7> Q_SHIFTED;
constexpr Name<SAVED, 8> R;
constexpr Name<SAVED, 9> EXP_LARGEST_2;
constexpr Name<SAVED, 10> EXP_LARGEST_2_SCALED;
constexpr Name<SAVED, 11> SCALE;
constexpr Name<FEATURES, 0, HAS_a_dot || HAS_b_dot || HAS_c_dot, Zero> QUERY;
constexpr Name<FEATURES, 1, HAS_query_dot, Zero> QUERY_DOT;
constexpr Name<ROWS_OUT, 0> Y_DOT;
using Given = decltype(names(A_, B, C, A_DOT, B_DOT, C_DOT, SUM_A_QUERY, RSTD, SUM_B_QUERY, RSTD_2, SUM_C_QUERY, RSTD_3, P_SHIFTED, Q_SHIFTED, R, EXP_LARGEST_2, EXP_LARGEST_2_SCALED, SCALE, QUERY, QUERY_DOT, Y_DOT, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows()), 6, 0, 30, 1> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto sum_a_query = row(SUM_A_QUERY), rstd = row(RSTD), sum_b_query = row(SUM_B_QUERY), rstd_2 = row(RSTD_2), sum_c_query = row(SUM_C_QUERY), rstd_3 = row(RSTD_3), p_shifted = row(P_SHIFTED), q_shifted = row(Q_SHIFTED), r = row(R), exp_largest_2 = row(EXP_LARGEST_2), exp_largest_2_scaled = row(EXP_LARGEST_2_SCALED), scale = row(SCALE);
    const auto exp_largest_2_scaled_3 = exp_largest_2*r;  // step 107, pass 29
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto a = at(A_);
      const auto b = at(B);
      const auto c = at(C);
      const auto a_dot = at(A_DOT);
      const auto b_dot = at(B_DOT);
      const auto c_dot = at(C_DOT);
      const auto query = at(QUERY);
      const auto query_dot = at(QUERY_DOT);
      return terms(a_dot*query + a*query_dot, A(2)*a*a_dot, b_dot*query + b*query_dot, A(2)*b*b_dot, c_dot*query + c*query_dot, A(2)*c*c_dot);
    });
    const auto sum_a_query_dot = get<0>(stage_2);  // step 74: sum(query*a_dot + query_dot*a)
    const auto ms_dot = math::quotient(get<1>(stage_2), row.D);  // step 75: mean(2*a*a_dot)
    const auto sum_b_query_dot = get<2>(stage_2);  // step 79: sum(query*b_dot + query_dot*b)
    const auto ms_2_dot = math::quotient(get<3>(stage_2), row.D);  // step 80: mean(2*b*b_dot)
    const auto sum_c_query_dot = get<4>(stage_2);  // step 84: sum(query*c_dot + query_dot*c)
    const auto ms_3_dot = math::quotient(get<5>(stage_2), row.D);  // step 85: mean(2*c*c_dot)
    const auto rstd_dot = A(-0.5)*ms_dot*math::power<3>(rstd);  // step 77
    const auto rstd_2_dot = A(-0.5)*ms_2_dot*math::power<3>(rstd_2);  // step 82
    const auto rstd_3_dot = A(-0.5)*ms_3_dot*math::power<3>(rstd_3);  // step 87
    const auto part_dot = choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -rstd*sum_a_query_dot - rstd_dot*sum_a_query, -rstd_2*sum_b_query_dot - rstd_2_dot*sum_b_query), -rstd_3*sum_c_query_dot - rstd_3_dot*sum_c_query);  // step 90
    const auto p_shifted_dot = p_shifted*part_dot + p_shifted*rstd*sum_a_query_dot + p_shifted*rstd_dot*sum_a_query;  // step 92
    const auto part_2_dot = choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -rstd*sum_a_query_dot - rstd_dot*sum_a_query, -rstd_2*sum_b_query_dot - rstd_2_dot*sum_b_query), -rstd_3*sum_c_query_dot - rstd_3_dot*sum_c_query);  // step 97
    const auto q_shifted_dot = part_2_dot*q_shifted + q_shifted*rstd_2*sum_b_query_dot + q_shifted*rstd_2_dot*sum_b_query;  // step 99
    const auto part_3_dot = choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -rstd*sum_a_query_dot - rstd_dot*sum_a_query, -rstd_2*sum_b_query_dot - rstd_2_dot*sum_b_query), -rstd_3*sum_c_query_dot - rstd_3_dot*sum_c_query);  // step 104
    const auto r_dot = part_3_dot*r + r*rstd_3*sum_c_query_dot + r*rstd_3_dot*sum_c_query;  // step 106
    const auto exp_largest_2_scaled_2 = exp_largest_2*r_dot;  // step 107, pass 30
    const auto scale_dot = -p_shifted_dot*(scale*scale) - q_shifted_dot*(scale*scale) - exp_largest_2*r_dot*(scale*scale);  // step 109
    row.each([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto c = at(C);
      const auto a_dot = at(A_DOT);
      const auto b_dot = at(B_DOT);
      const auto c_dot = at(C_DOT);
      const auto ahat = a*p_shifted;  // step 15
      const auto bhat = b*q_shifted;  // step 16
      const auto chat = c*exp_largest_2_scaled;  // step 18, pass 2
      const auto ahat_dot = a_dot*p_shifted + a*p_shifted_dot;  // step 93
      const auto bhat_dot = b_dot*q_shifted + b*q_shifted_dot;  // step 100
      const auto chat_dot = c*exp_largest_2_scaled_2 + c_dot*exp_largest_2_scaled_3;  // step 107, pass 31
      at.store(Y_DOT, ahat_dot*scale + bhat_dot*scale + chat_dot*scale + (ahat + bhat + chat)*scale_dot);  // step 110
    });
  }
};

}  // namespace lngen::LNGEN_SPACE::jvp

// ================================================================================================ backward_backward

namespace lngen::LNGEN_SPACE::backward_backward {

constexpr Name<ROWS, 0, HAS_dda || HAS_ddb || HAS_ddc || HAS_ddquery, Zero> A_;
constexpr Name<ROWS, 1, HAS_dda || HAS_ddb || HAS_ddc || HAS_ddquery, Zero> B;
constexpr Name<ROWS, 2, HAS_dda || HAS_ddb || HAS_ddc || HAS_ddquery, Zero> C;
constexpr Name<ROWS, 3, HAS_dda || HAS_ddb || HAS_ddc || HAS_ddquery, Zero> DY;
constexpr Name<ROWS, 4, HAS_dda, Zero> DDA;
constexpr Name<ROWS, 5, HAS_ddb, Zero> DDB;
constexpr Name<ROWS, 6, HAS_ddc, Zero> DDC;
constexpr Name<SAVED, 0> SUM_A_QUERY;
constexpr Name<SAVED, 1> RSTD;
constexpr Name<SAVED, 2> SUM_B_QUERY;
constexpr Name<SAVED, 3> RSTD_2;
constexpr Name<SAVED, 4> SUM_C_QUERY;
constexpr Name<SAVED, 5> RSTD_3;
constexpr Name<SAVED, 6> P_SHIFTED;
constexpr Name<SAVED, 7> Q_SHIFTED;
constexpr Name<SAVED, 8> R;
constexpr Name<SAVED, 9> EXP_LARGEST_2;
constexpr Name<SAVED, 10> EXP_LARGEST_2_SCALED;
constexpr Name<SAVED, 11> SCALE;
constexpr Name<FEATURES, 0, HAS_dda || HAS_ddb || HAS_ddc || HAS_ddquery, Zero> QUERY;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<FEATURES, 1, HAS_ddquery, Zero> DDQUERY;
constexpr Name<ROWS_OUT, 0> DA;
constexpr Name<ROWS_OUT, 1> DB;
constexpr Name<ROWS_OUT, 2> DC;
constexpr Name<ROWS_OUT, 3> DDY;
constexpr Name<OVER_ROWS, 0, HAS_dda || HAS_ddb || HAS_ddc || HAS_ddquery> D2QUERY;
using Given = decltype(names(A_, B, C, DY, DDA, DDB, DDC, SUM_A_QUERY, RSTD, SUM_B_QUERY, RSTD_2, SUM_C_QUERY, RSTD_3, P_SHIFTED, Q_SHIFTED, R, EXP_LARGEST_2, EXP_LARGEST_2_SCALED, SCALE, QUERY, EPS, DDQUERY, DA, DB, DC, DDY, WORKSPACE, ROW_COUNT, D));

struct Layer : Direction<Given, decltype(over_rows(D2QUERY)), 19, 0, 115, 3> {
  template <class Row> static LNGEN_INLINE void work(const Row& row) {
    using A = typename Row::A;
    const auto sum_a_query = row(SUM_A_QUERY), rstd = row(RSTD), sum_b_query = row(SUM_B_QUERY), rstd_2 = row(RSTD_2), sum_c_query = row(SUM_C_QUERY), rstd_3 = row(RSTD_3), p_shifted = row(P_SHIFTED), q_shifted = row(Q_SHIFTED), r = row(R), exp_largest_2 = row(EXP_LARGEST_2), exp_largest_2_scaled = row(EXP_LARGEST_2_SCALED), scale = row(SCALE);
    const auto eps = row(EPS);
    const auto largest = choose<A>(rstd*sum_a_query - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query) > rstd_2*sum_b_query - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd*sum_a_query - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query), rstd_2*sum_b_query - choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query));  // step 10
    const auto largest_2 = choose<A>(largest > A(0), largest, A(0));  // step 11
    const auto part = -choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query);  // step 125
    const auto part_2 = -choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query);  // step 120
    const auto part_3 = -choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query), rstd_3*sum_c_query);  // step 113
    const auto exp_largest_2_scaled_2 = exp_largest_2*r;  // step 191, pass 32
    const auto stage_2 = row.sums([&](auto at) {
      using A = typename decltype(at)::A;
      const auto a = at(A_);
      const auto b = at(B);
      const auto c = at(C);
      const auto dy = at(DY);
      const auto dda = at(DDA);
      const auto ddb = at(DDB);
      const auto ddc = at(DDC);
      const auto query = at(QUERY);
      const auto ddquery = at(DDQUERY);
      const auto ahat = a*p_shifted;  // step 15
      const auto bhat = b*q_shifted;  // step 16
      const auto chat = c*exp_largest_2_scaled;  // step 18, pass 2
      const auto dchat = dy*scale;  // step 116
      const auto dbhat = dy*scale;  // step 121
      const auto dahat = dy*scale;  // step 111
      return terms(wanted<HAS_dda>(a*a), wanted<HAS_ddb>(b*b), wanted<HAS_ddc>(c*c), wanted<HAS_dda || HAS_ddb || HAS_ddc || HAS_ddquery>((ahat + bhat + chat)*dy), wanted<HAS_dda || HAS_ddb || HAS_ddc || HAS_ddquery>(c*dchat*exp_largest_2), wanted<HAS_dda || HAS_ddb || HAS_ddc || HAS_ddquery>(b*dbhat), wanted<HAS_dda || HAS_ddb || HAS_ddc || HAS_ddquery>(a*dahat), a*ddquery, dda*query, math::quotient(A(2)*a*dda, A(row.D)), b*ddquery, ddb*query, math::quotient(A(2)*b*ddb, A(row.D)), c*ddquery, ddc*query, math::quotient(A(2)*c*ddc, A(row.D)), dchat*ddc*exp_largest_2, dbhat*ddb, dahat*dda);
    });
    const auto ms = math::quotient(get<0>(stage_2), row.D);  // step 2: mean(a**2)
    const auto ms_2 = math::quotient(get<1>(stage_2), row.D);  // step 5: mean(b**2)
    const auto ms_3 = math::quotient(get<2>(stage_2), row.D);  // step 8: mean(c**2)
    const auto mean_product = math::quotient(get<3>(stage_2), row.D);  // step 114: mean(dy*(ahat + bhat + chat))
    const auto mean_c_dchat = math::quotient(get<4>(stage_2), row.D);  // step 117: mean(exp_largest_2*c*dchat)
    const auto mean_b_dbhat = math::quotient(get<5>(stage_2), row.D);  // step 122: mean(b*dbhat)
    const auto mean_a_dahat = math::quotient(get<6>(stage_2), row.D);  // step 112: mean(a*dahat)
    const auto sum_a_ddquery = get<7>(stage_2);  // step 135: sum(ddquery*a)
    const auto sum_dda_query = get<8>(stage_2);  // step 135: sum(query*dda)
    const auto ddms = get<9>(stage_2);  // step 137: sum(2*a*dda/D)
    const auto sum_b_ddquery = get<10>(stage_2);  // step 152: sum(ddquery*b)
    const auto sum_ddb_query = get<11>(stage_2);  // step 152: sum(query*ddb)
    const auto ddms_2 = get<12>(stage_2);  // step 153: sum(2*b*ddb/D)
    const auto sum_c_ddquery = get<13>(stage_2);  // step 159: sum(ddquery*c)
    const auto sum_ddc_query = get<14>(stage_2);  // step 159: sum(query*ddc)
    const auto ddms_3 = get<15>(stage_2);  // step 160: sum(2*c*ddc/D)
    const auto sum_dchat_ddc = get<16>(stage_2);  // step 195: sum(exp_largest_2*dchat*ddc)
    const auto sum_dbhat_ddb = get<17>(stage_2);  // step 200: sum(dbhat*ddb)
    const auto sum_dahat_dda = get<18>(stage_2);  // step 204: sum(dahat*dda)
    const auto dscale = mean_product*row.D;  // step 115
    const auto dr = mean_c_dchat*row.D - dscale*exp_largest_2 / math::power<2>(p_shifted + q_shifted + exp_largest_2*r);  // step 118
    const auto dpart_3 = dr*math::exp(part_3 + rstd_3*sum_c_query);  // step 119
    const auto dq_shifted = mean_b_dbhat*row.D - dscale / math::power<2>(p_shifted + q_shifted + exp_largest_2*r);  // step 123
    const auto dpart_2 = dq_shifted*math::exp(part_2 + rstd_2*sum_b_query - largest_2);  // step 124
    const auto dp_shifted = mean_a_dahat*row.D - dscale / math::power<2>(p_shifted + q_shifted + exp_largest_2*r);  // step 126
    const auto dpart = dp_shifted*math::exp(part + rstd*sum_a_query - largest_2);  // step 127
    const auto part_4 = dr*math::exp(part_3 + rstd_3*sum_c_query)*sum_c_query;  // step 141
    const auto drstd_3 = part_4 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, A(0), -dpart*sum_c_query - dpart_2*sum_c_query - dpart_3*sum_c_query);  // step 142
    const auto dms_3 = A(-0.5)*drstd_3 / ((ms_3 + eps)*math::sqrt(ms_3 + eps));  // step 156
    const auto part_5 = dr*math::exp(part_3 + rstd_3*sum_c_query)*rstd_3;  // step 143
    const auto dsum_c_query = part_5 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, A(0), -dpart*rstd_3 - dpart_2*rstd_3 - dpart_3*rstd_3);  // step 144
    const auto part_6 = dq_shifted*math::exp(part_2 + rstd_2*sum_b_query - largest_2)*sum_b_query;  // step 145
    const auto drstd_2 = part_6 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, A(0), -dpart*sum_b_query - dpart_2*sum_b_query - dpart_3*sum_b_query), A(0));  // step 146
    const auto dms_2 = A(-0.5)*drstd_2 / ((ms_2 + eps)*math::sqrt(ms_2 + eps));  // step 149
    const auto part_7 = dq_shifted*math::exp(part_2 + rstd_2*sum_b_query - largest_2)*rstd_2;  // step 147
    const auto dsum_b_query = part_7 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, A(0), -dpart*rstd_2 - dpart_2*rstd_2 - dpart_3*rstd_2), A(0));  // step 148
    const auto part_8 = dp_shifted*math::exp(part + rstd*sum_a_query - largest_2)*sum_a_query;  // step 128
    const auto drstd = part_8 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -dpart*sum_a_query - dpart_2*sum_a_query - dpart_3*sum_a_query, A(0)), A(0));  // step 129
    const auto dms = A(-0.5)*drstd / ((ms + eps)*math::sqrt(ms + eps));  // step 130
    const auto part_9 = dp_shifted*math::exp(part + rstd*sum_a_query - largest_2)*rstd;  // step 131
    const auto dsum_a_query = part_9 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -dpart*rstd - dpart_2*rstd - dpart_3*rstd, A(0)), A(0));  // step 132
    const auto ddsum_a_query = sum_a_ddquery + sum_dda_query;  // step 135
    const auto dpart_9 = ddsum_a_query;  // step 136
    const auto ddrstd = A(-0.5)*ddms*math::power<3>(rstd);  // step 139
    const auto dpart_8 = ddrstd;  // step 140
    const auto ddsum_b_query = sum_b_ddquery + sum_ddb_query;  // step 152
    const auto dpart_7 = ddsum_b_query;  // step 169
    const auto ddrstd_2 = A(-0.5)*ddms_2*math::power<3>(rstd_2);  // step 155
    const auto dpart_6 = ddrstd_2;  // step 170
    const auto ddsum_c_query = sum_c_ddquery + sum_ddc_query;  // step 159
    const auto dpart_5 = ddsum_c_query;  // step 176
    const auto ddrstd_3 = A(-0.5)*ddms_3*math::power<3>(rstd_3);  // step 162
    const auto dpart_4 = ddrstd_3;  // step 177
    const auto ddpart = choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd, -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query - ddsum_c_query*rstd_3);  // step 165
    const auto ddp_shifted = ddpart*p_shifted + dpart_8*p_shifted*sum_a_query + dpart_9*p_shifted*rstd;  // step 167
    const auto dmean_a_dahat = ddp_shifted*row.D;  // step 168
    const auto ddpart_2 = choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd, -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query - ddsum_c_query*rstd_3);  // step 173
    const auto ddq_shifted = ddpart_2*q_shifted + dpart_6*q_shifted*sum_b_query + dpart_7*q_shifted*rstd_2;  // step 175
    const auto dmean_b_dbhat = ddq_shifted*row.D;  // step 188
    const auto ddpart_3 = choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, -ddrstd*sum_a_query - ddsum_a_query*rstd, -ddrstd_2*sum_b_query - ddsum_b_query*rstd_2), -ddrstd_3*sum_c_query - ddsum_c_query*rstd_3);  // step 180
    const auto ddr = ddpart_3*r + dpart_4*r*sum_c_query + dpart_5*r*rstd_3;  // step 182
    const auto dmean_c_dchat = ddr*row.D;  // step 190
    const auto dmean_a_dahat_scaled = math::quotient(dmean_a_dahat, row.D);  // step 187, pass 37
    const auto dmean_b_dbhat_scaled = math::quotient(dmean_b_dbhat, row.D);  // step 189, pass 38
    const auto exp_largest_2_scaled_3 = math::quotient(dmean_c_dchat*exp_largest_2, row.D);  // step 191, pass 39
    const auto ddscale = -ddp_shifted*(scale*scale) - ddq_shifted*(scale*scale) - ddr*exp_largest_2*(scale*scale);  // step 184
    const auto dmean_product = ddscale*row.D;  // step 185
    const auto dmean_product_scaled = math::quotient(dmean_product, row.D);  // step 193, pass 40
    const auto dms_scaled = math::quotient(A(2)*dms, row.D);  // step 217, pass 41
    const auto dms_2_scaled = math::quotient(A(2)*dms_2, row.D);  // step 228, pass 42
    const auto dms_3_scaled = math::quotient(A(2)*dms_3, row.D);  // step 237, pass 43
    const auto stage_3 = row.sums([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto c = at(C);
      const auto dy = at(DY);
      const auto dda = at(DDA);
      const auto ddb = at(DDB);
      const auto ddc = at(DDC);
      const auto ahat = a*p_shifted;  // step 15
      const auto bhat = b*q_shifted;  // step 16
      const auto chat = c*exp_largest_2_scaled;  // step 18, pass 2
      const auto ddahat = a*dmean_a_dahat_scaled + dda*p_shifted;  // step 187, pass 44
      const auto ddbhat = b*dmean_b_dbhat_scaled + ddb*q_shifted;  // step 189, pass 45
      const auto ddchat = ddc*exp_largest_2_scaled_2 + c*exp_largest_2_scaled_3;  // step 191, pass 46
      const auto d2chat = dy*dmean_product_scaled;  // step 193, pass 58
      const auto d2bhat = dy*dmean_product_scaled;  // step 198, pass 47
      const auto d2ahat = dy*dmean_product_scaled;  // step 186, pass 48
      at.store(DDY, ddahat*scale + ddbhat*scale + ddchat*scale + (ahat + bhat + chat)*dmean_product_scaled);  // step 240, pass 49
      return terms(ddahat*dy, ddbhat*dy, ddchat*dy, c*d2chat*exp_largest_2, b*d2bhat, a*d2ahat);
    });
    const auto sum_ddahat_dy = get<0>(stage_3);  // step 192: sum(ddahat*dy)
    const auto sum_ddbhat_dy = get<1>(stage_3);  // step 192: sum(ddbhat*dy)
    const auto sum_ddchat_dy = get<2>(stage_3);  // step 192: sum(ddchat*dy)
    const auto sum_c_d2chat = get<3>(stage_3);  // step 195: sum(exp_largest_2*c*d2chat)
    const auto sum_b_d2bhat = get<4>(stage_3);  // step 200: sum(b*d2bhat)
    const auto sum_a_d2ahat = get<5>(stage_3);  // step 204: sum(a*d2ahat)
    const auto d2scale = sum_ddahat_dy + sum_ddbhat_dy + sum_ddchat_dy;  // step 192
    const auto d2r = sum_c_d2chat + sum_dchat_ddc + A(2)*ddp_shifted*dscale*exp_largest_2*math::power<3>(scale) + A(2)*ddq_shifted*dscale*exp_largest_2*math::power<3>(scale) + A(2)*ddr*dscale*(exp_largest_2*exp_largest_2)*math::power<3>(scale) - d2scale*exp_largest_2*(scale*scale);  // step 195
    const auto d2part_3 = d2r*r + ddpart_3*dr*r + dpart_4*dr*r*sum_c_query + dpart_5*dr*r*rstd_3;  // step 197
    const auto d2q_shifted = sum_b_d2bhat + sum_dbhat_ddb + A(2)*ddp_shifted*dscale*math::power<3>(scale) + A(2)*ddq_shifted*dscale*math::power<3>(scale) + A(2)*ddr*dscale*exp_largest_2*math::power<3>(scale) - d2scale*(scale*scale);  // step 200
    const auto d2part_2 = d2q_shifted*q_shifted + ddpart_2*dq_shifted*q_shifted + dpart_6*dq_shifted*q_shifted*sum_b_query + dpart_7*dq_shifted*q_shifted*rstd_2;  // step 202
    const auto d2p_shifted = sum_a_d2ahat + sum_dahat_dda + A(2)*ddp_shifted*dscale*math::power<3>(scale) + A(2)*ddq_shifted*dscale*math::power<3>(scale) + A(2)*ddr*dscale*exp_largest_2*math::power<3>(scale) - d2scale*(scale*scale);  // step 204
    const auto d2part = d2p_shifted*p_shifted + ddpart*dp_shifted*p_shifted + dp_shifted*dpart_8*p_shifted*sum_a_query + dp_shifted*dpart_9*p_shifted*rstd;  // step 206
    const auto d2rstd_3 = d2r*r*sum_c_query + ddpart_3*dr*r*sum_c_query + dpart_4*dr*r*(sum_c_query*sum_c_query) + dpart_5*(dr*r + dr*r*rstd_3*sum_c_query) + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, A(0), (-dpart - dpart_2 - dpart_3)*ddsum_c_query - d2part*sum_c_query - d2part_2*sum_c_query - d2part_3*sum_c_query);  // step 231
    const auto d2ms_3 = A(0.75)*ddms_3*drstd_3*math::power<5>(rstd_3) - A(0.5)*d2rstd_3*math::power<3>(rstd_3);  // step 233
    const auto d2sum_c_query = d2r*r*rstd_3 + ddpart_3*dr*r*rstd_3 + dpart_5*dr*r*(rstd_3*rstd_3) + dpart_4*(dr*r + dr*r*rstd_3*sum_c_query) + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, A(0), (-dpart - dpart_2 - dpart_3)*ddrstd_3 - d2part*rstd_3 - d2part_2*rstd_3 - d2part_3*rstd_3);  // step 236
    const auto d2rstd_2 = d2q_shifted*q_shifted*sum_b_query + ddpart_2*dq_shifted*q_shifted*sum_b_query + dpart_6*dq_shifted*q_shifted*(sum_b_query*sum_b_query) + dpart_7*(dq_shifted*q_shifted + dq_shifted*q_shifted*rstd_2*sum_b_query) + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, A(0), (-dpart - dpart_2 - dpart_3)*ddsum_b_query - d2part*sum_b_query - d2part_2*sum_b_query - d2part_3*sum_b_query), A(0));  // step 221
    const auto d2ms_2 = A(0.75)*ddms_2*drstd_2*math::power<5>(rstd_2) - A(0.5)*d2rstd_2*math::power<3>(rstd_2);  // step 223
    const auto d2sum_b_query = d2q_shifted*q_shifted*rstd_2 + ddpart_2*dq_shifted*q_shifted*rstd_2 + dpart_7*dq_shifted*q_shifted*(rstd_2*rstd_2) + dpart_6*(dq_shifted*q_shifted + dq_shifted*q_shifted*rstd_2*sum_b_query) + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, A(0), (-dpart - dpart_2 - dpart_3)*ddrstd_2 - d2part*rstd_2 - d2part_2*rstd_2 - d2part_3*rstd_2), A(0));  // step 227
    const auto d2rstd = d2p_shifted*p_shifted*sum_a_query + ddpart*dp_shifted*p_shifted*sum_a_query + dp_shifted*dpart_8*p_shifted*(sum_a_query*sum_a_query) + (dp_shifted*p_shifted + dp_shifted*p_shifted*rstd*sum_a_query)*dpart_9 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, (-dpart - dpart_2 - dpart_3)*ddsum_a_query - d2part*sum_a_query - d2part_2*sum_a_query - d2part_3*sum_a_query, A(0)), A(0));  // step 210
    const auto d2ms = A(0.75)*ddms*drstd*math::power<5>(rstd) - A(0.5)*d2rstd*math::power<3>(rstd);  // step 212
    const auto d2sum_a_query = d2p_shifted*p_shifted*rstd + ddpart*dp_shifted*p_shifted*rstd + dp_shifted*dpart_9*p_shifted*(rstd*rstd) + (dp_shifted*p_shifted + dp_shifted*p_shifted*rstd*sum_a_query)*dpart_8 + choose<A>(choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, rstd*sum_a_query, rstd_2*sum_b_query) > rstd_3*sum_c_query, choose<A>(rstd*sum_a_query > rstd_2*sum_b_query, (-dpart - dpart_2 - dpart_3)*ddrstd - d2part*rstd - d2part_2*rstd - d2part_3*rstd, A(0)), A(0));  // step 216
    const auto d2ms_scaled = math::quotient(A(2)*d2ms, row.D);  // step 217, pass 52
    const auto d2ms_2_scaled = math::quotient(A(2)*d2ms_2, row.D);  // step 228, pass 53
    const auto d2ms_3_scaled = math::quotient(A(2)*d2ms_3, row.D);  // step 237, pass 54
    row.each([&](auto at) {
      const auto a = at(A_);
      const auto b = at(B);
      const auto c = at(C);
      const auto dy = at(DY);
      const auto dda = at(DDA);
      const auto ddb = at(DDB);
      const auto ddc = at(DDC);
      const auto query = at(QUERY);
      const auto ddquery = at(DDQUERY);
      const auto dchat = dy*scale;  // step 116
      const auto dbhat = dy*scale;  // step 121
      const auto dahat = dy*scale;  // step 111
      const auto d2chat = dy*dmean_product_scaled;  // step 193, pass 58
      const auto d2bhat = dy*dmean_product_scaled;  // step 198, pass 47
      const auto d2ahat = dy*dmean_product_scaled;  // step 186, pass 48
      at.over_rows(D2QUERY, a*d2sum_a_query + b*d2sum_b_query + c*d2sum_c_query + dda*dsum_a_query + ddb*dsum_b_query + ddc*dsum_c_query);  // step 239: d2query
      at.store(DA, a*d2ms_scaled + dsum_a_query*ddquery + dahat*dmean_a_dahat_scaled + dda*dms_scaled + d2ahat*p_shifted + d2sum_a_query*query);  // step 217, pass 55
      at.store(DB, b*d2ms_2_scaled + dsum_b_query*ddquery + dbhat*dmean_b_dbhat_scaled + ddb*dms_2_scaled + d2bhat*q_shifted + d2sum_b_query*query);  // step 228, pass 56
      at.store(DC, c*d2ms_3_scaled + dsum_c_query*ddquery + ddc*dms_3_scaled + d2chat*exp_largest_2_scaled_2 + dchat*exp_largest_2_scaled_3 + d2sum_c_query*query);  // step 237, pass 59
    });
  }
};

namespace columns {

constexpr Name<FEATURES, 0, false, Zero> QUERY;
constexpr Name<NUMBER, 0> EPS;
constexpr Name<FEATURES, 1, false, Zero> DDQUERY;
constexpr Name<FEATURES_OUT, 0> OUT_DQUERY;
using Given = decltype(names(WORKSPACE, BLOCKS, QUERY, EPS, DDQUERY, OUT_DQUERY, D));

struct Layer : ColumnsOf<backward_backward::Layer, Given, 1, 8> {
  template <class Call> static LNGEN_INLINE void work(const Call& call) {
    call.each([&](auto at) { at.store(OUT_DQUERY, at(D2QUERY)); });
  }
};

}  // namespace columns

}  // namespace lngen::LNGEN_SPACE::backward_backward
