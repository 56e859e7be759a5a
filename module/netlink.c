// SPDX-License-Identifier: GPL-2.0-only
/*
 * Handlers for devices and their notifications; netlink_stats.c has those for
 * counters. The ops table and the policies are generated from
 * spec/iovatune.yaml into netlink_gen.c.
 *
 * No handler holds a lock of ours while it waits for a device's lock.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "netlink.h"
#include "netlink_gen.h"

/**
 * iovatune_netlink_find() - the managed device that a request names
 * @info: the request
 * @id_attr: attribute with its handle
 * @name_attr: attribute with its PCI address
 *
 * Exactly one of the two must be there. Sets extack on failure.
 *
 * Context: may sleep.
 * Return: the entry with a reference, or an ERR_PTR.
 */
struct iovatune_dev *iovatune_netlink_find(const struct genl_info *info,
					   int id_attr, int name_attr)
{
	struct nlattr *id = info->attrs[id_attr], *name = info->attrs[name_attr];
	struct iovatune_dev *idev;

	if (id && name) {
		NL_SET_ERR_MSG_ATTR(info->extack, name,
				    "give either the id or the name of a device");
		return ERR_PTR(-EINVAL);
	}
	if (!id && !name) {
		NL_SET_ERR_ATTR_MISS(info->extack, NULL, name_attr);
		NL_SET_ERR_MSG(info->extack, "no device given");
		return ERR_PTR(-EINVAL);
	}
	idev = id ? iovatune_dev_get(nla_get_u32(id)) :
		    iovatune_dev_get_by_name(nla_data(name));
	if (idev)
		return idev;
	NL_SET_ERR_MSG_ATTR(info->extack, id ?: name,
			    "no such managed device");
	return ERR_PTR(-ENODEV);
}

static int put_managed(struct sk_buff *skb, const struct iovatune_dev_row *row)
{
	return nla_put_u32(skb, IOVATUNE_A_DEV_ID, row->id) ||
	       nla_put_u32(skb, IOVATUNE_A_DEV_MODE, IOVATUNE_MODE_OWNED) ||
	       nla_put_u32(skb, IOVATUNE_A_DEV_STATE, row->state) ||
	       nla_put_u32(skb, IOVATUNE_A_DEV_MAX_ORDER, row->cfg.max_order) ||
	       nla_put_u64_64bit(skb, IOVATUNE_A_DEV_DEPOT_BYTES,
				 row->cfg.depot_bytes, IOVATUNE_A_DEV_PAD) ||
	       nla_put_u32(skb, IOVATUNE_A_DEV_ADDRESS_BITS,
			   row->cfg.address_bits) ||
	       (row->limit && nla_put_u64_64bit(skb, IOVATUNE_A_DEV_LIMIT,
						row->limit, IOVATUNE_A_DEV_PAD));
}

static int put_row(struct sk_buff *skb, const struct iovatune_dev_row *row)
{
	if (nla_put_string(skb, IOVATUNE_A_DEV_NAME, row->name) ||
	    (row->id && put_managed(skb, row)) ||
	    (row->driver[0] &&
	     nla_put_string(skb, IOVATUNE_A_DEV_DRIVER, row->driver)) ||
	    (row->group >= 0 &&
	     nla_put_u32(skb, IOVATUNE_A_DEV_GROUP, row->group)) ||
	    nla_put_u32(skb, IOVATUNE_A_DEV_DOMAIN_TYPE, row->domain_type))
		return -EMSGSIZE;
	if (row->reason.err)
		return nla_put_string(skb, IOVATUNE_A_DEV_REASON,
				      row->reason.text) ||
		       nla_put_u32(skb, IOVATUNE_A_DEV_ERRNO,
				   -row->reason.err) ? -EMSGSIZE : 0;
	if (!row->id && nla_put_flag(skb, IOVATUNE_A_DEV_ADDABLE))
		return -EMSGSIZE;
	return 0;
}

/* One fill function for replies, dumps (@cb given) and notifications. */
static int fill_dev(struct sk_buff *skb, const struct iovatune_dev_row *row,
		    const struct genl_info *info, struct netlink_callback *cb)
{
	void *hdr = genlmsg_iput(skb, info);

	if (!hdr)
		return -EMSGSIZE;
	if (cb)
		genl_dump_check_consistent(cb, hdr);
	if (put_row(skb, row)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/*
 * Room for a reply. A request that changes something gets it first: once that
 * is done, nothing may fail any more.
 */
static struct sk_buff *new_reply(void)
{
	return genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
}

/* Describe a device in @skb, and send or free it. */
static int reply_dev(struct sk_buff *skb, struct iovatune_dev *idev,
		     struct genl_info *info)
{
	struct iovatune_dev_row row;
	int err;

	iovatune_dev_row(idev, &row);
	err = fill_dev(skb, &row, info, NULL);
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	return genlmsg_reply(skb, info);
}

/**
 * iovatune_nl_dev_get_doit() - describe one managed device
 * @skb: the request
 * @info: its attributes
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with extack.
 */
int iovatune_nl_dev_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct iovatune_dev *idev;
	struct sk_buff *reply;
	int err = -ENOMEM;

	idev = iovatune_netlink_find(info, IOVATUNE_A_DEV_ID,
				     IOVATUNE_A_DEV_NAME);
	if (IS_ERR(idev))
		return PTR_ERR(idev);
	reply = new_reply();
	if (reply)
		err = reply_dev(reply, idev, info);
	iovatune_dev_put(idev);
	return err;
}

/* Where a dump of devices goes on. */
struct dev_dump {
	u32 last_id;
	bool managed_done;
	/* Last PCI function seen, as a key that survives its removal. */
	bool seen;
	u32 domain;
	u32 function;
};

static_assert(sizeof(struct dev_dump) <=
	      sizeof_field(struct netlink_callback, ctx));

static int dump_managed(struct sk_buff *skb, struct netlink_callback *cb,
			struct dev_dump *at)
{
	struct iovatune_dev_row row;
	struct iovatune_dev *idev;

	while ((idev = iovatune_dev_next(at->last_id))) {
		iovatune_dev_row(idev, &row);
		iovatune_dev_put(idev);
		if (fill_dev(skb, &row, genl_info_dump(cb), cb))
			return -EMSGSIZE;
		at->last_id = row.id;
	}
	return 0;
}

static u32 function_key(const struct pci_dev *pdev)
{
	return PCI_DEVID(pdev->bus->number, pdev->devfn);
}

static bool after(const struct dev_dump *at, const struct pci_dev *pdev)
{
	u32 domain = pci_domain_nr(pdev->bus);

	if (!at->seen || domain != at->domain)
		return !at->seen || domain > at->domain;
	return function_key(pdev) > at->function;
}

static bool before(const struct pci_dev *a, const struct pci_dev *b)
{
	u32 domain_a = pci_domain_nr(a->bus), domain_b = pci_domain_nr(b->bus);

	if (domain_a != domain_b)
		return domain_a < domain_b;
	return function_key(a) < function_key(b);
}

/* Functions in order of address, whatever order the bus lists them in. */
static struct pci_dev *next_function(const struct dev_dump *at)
{
	struct pci_dev *pdev = NULL, *next = NULL;

	for_each_pci_dev(pdev) {
		if (!after(at, pdev) || (next && before(next, pdev)))
			continue;
		pci_dev_put(next);
		next = pci_dev_get(pdev);
	}
	return next;
}

static int dump_candidate(struct sk_buff *skb, struct netlink_callback *cb,
			  struct pci_dev *pdev)
{
	struct iovatune_dev_row row;
	struct iovatune_dev *idev;

	idev = iovatune_dev_get_by_name(pci_name(pdev));
	if (idev) {
		iovatune_dev_put(idev);
		return 0;
	}
	iovatune_candidate_row(pdev, &row);
	return fill_dev(skb, &row, genl_info_dump(cb), cb);
}

static int dump_candidates(struct sk_buff *skb, struct netlink_callback *cb,
			   struct dev_dump *at)
{
	struct pci_dev *pdev;

	while ((pdev = next_function(at))) {
		int err = dump_candidate(skb, cb, pdev);

		if (!err) {
			at->seen = true;
			at->domain = pci_domain_nr(pdev->bus);
			at->function = function_key(pdev);
		}
		pci_dev_put(pdev);
		if (err)
			return err;
	}
	return 0;
}

/**
 * iovatune_nl_dev_get_dumpit() - describe all managed devices, or all functions
 * @skb: message to fill
 * @cb: the dump, with the place to go on from
 *
 * Context: may sleep.
 * Return: bytes filled, 0 at the end, or a negative errno with extack.
 */
int iovatune_nl_dev_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct dev_dump *at = (struct dev_dump *)cb->ctx;
	int err = 0;

	cb->seq = iovatune_dev_generation();
	if (!at->managed_done) {
		err = dump_managed(skb, cb, at);
		at->managed_done = !err;
	}
	if (!err && info->attrs[IOVATUNE_A_DEV_ALL])
		err = dump_candidates(skb, cb, at);
	/* -EMSGSIZE: what fits is sent, and the dump goes on in the next one. */
	return err;
}

/* Fill @cfg from the attributes given; return IOVATUNE_SET_* of them. */
static unsigned int parse_config(const struct genl_info *info,
				 struct iovatune_config *cfg)
{
	struct nlattr **attrs = info->attrs;
	unsigned int what = 0;

	if (attrs[IOVATUNE_A_DEV_MAX_ORDER]) {
		cfg->max_order = nla_get_u32(attrs[IOVATUNE_A_DEV_MAX_ORDER]);
		what |= IOVATUNE_SET_MAX_ORDER;
	}
	if (attrs[IOVATUNE_A_DEV_DEPOT_BYTES]) {
		cfg->depot_bytes =
			nla_get_u64(attrs[IOVATUNE_A_DEV_DEPOT_BYTES]);
		what |= IOVATUNE_SET_DEPOT_BYTES;
	}
	if (attrs[IOVATUNE_A_DEV_ADDRESS_BITS]) {
		cfg->address_bits =
			nla_get_u32(attrs[IOVATUNE_A_DEV_ADDRESS_BITS]);
		what |= IOVATUNE_SET_ADDRESS_BITS;
	}
	return what;
}

/**
 * iovatune_nl_dev_add_doit() - manage a device
 * @skb: the request
 * @info: its attributes
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with extack.
 */
int iovatune_nl_dev_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct iovatune_config cfg = {
		.max_order = IOVATUNE_MAX_ORDER_LIMIT,
		.depot_bytes = IOVATUNE_DEPOT_BYTES_DEFAULT,
		.address_bits = IOVATUNE_ADDRESS_BITS_MAX,
	};
	struct iovatune_reason reason;
	struct iovatune_dev *idev;
	struct sk_buff *reply;
	int err;

	if (GENL_REQ_ATTR_CHECK(info, IOVATUNE_A_DEV_NAME) ||
	    GENL_REQ_ATTR_CHECK(info, IOVATUNE_A_DEV_MODE))
		return -EINVAL;
	parse_config(info, &cfg);
	reply = new_reply();
	if (!reply)
		return -ENOMEM;
	err = iovatune_dev_add(nla_data(info->attrs[IOVATUNE_A_DEV_NAME]), &cfg,
			       &reason, &idev);
	if (err) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[IOVATUNE_A_DEV_NAME]);
		NL_SET_ERR_MSG_FMT(info->extack, "%s", reason.text);
		nlmsg_free(reply);
		return err;
	}
	reply_dev(reply, idev, info);
	iovatune_dev_put(idev);
	return 0;
}

/**
 * iovatune_nl_dev_set_doit() - change the configuration of a device
 * @skb: the request
 * @info: its attributes
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with extack.
 */
int iovatune_nl_dev_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct iovatune_config cfg;
	struct iovatune_dev *idev;
	struct sk_buff *reply;
	unsigned int what;
	int err;

	idev = iovatune_netlink_find(info, IOVATUNE_A_DEV_ID,
				     IOVATUNE_A_DEV_NAME);
	if (IS_ERR(idev))
		return PTR_ERR(idev);
	err = -EINVAL;
	what = parse_config(info, &cfg);
	if (!what) {
		NL_SET_ERR_MSG(info->extack,
			       "nothing to set: max-order, depot-bytes or address-bits");
		goto out_put;
	}
	err = -ENOMEM;
	reply = new_reply();
	if (!reply)
		goto out_put;
	err = iovatune_dev_configure(idev, &cfg, what);
	if (err) {
		NL_SET_ERR_MSG(info->extack, "the device has just gone");
		nlmsg_free(reply);
		goto out_put;
	}
	reply_dev(reply, idev, info);
out_put:
	iovatune_dev_put(idev);
	return err;
}

/**
 * iovatune_nl_dev_del_doit() - stop managing a device
 * @skb: the request
 * @info: its attributes
 *
 * Context: may sleep.
 * Return: 0, or a negative errno with extack.
 */
int iovatune_nl_dev_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct iovatune_reason reason;
	struct iovatune_dev *idev;
	int err;

	idev = iovatune_netlink_find(info, IOVATUNE_A_DEV_ID,
				     IOVATUNE_A_DEV_NAME);
	if (IS_ERR(idev))
		return PTR_ERR(idev);
	err = iovatune_dev_del(idev, &reason);
	if (err)
		NL_SET_ERR_MSG_FMT(info->extack, "%s", reason.text);
	iovatune_dev_put(idev);
	return err;
}

static int notify(struct notifier_block *nb, unsigned long event, void *data)
{
	static const u8 cmds[] = {
		[IOVATUNE_DEV_ADDED] = IOVATUNE_CMD_DEV_ADD_NTF,
		[IOVATUNE_DEV_DELETED] = IOVATUNE_CMD_DEV_DEL_NTF,
		[IOVATUNE_DEV_CHANGED] = IOVATUNE_CMD_DEV_CHANGE_NTF,
	};
	struct iovatune_dev_row row;
	struct genl_info info;
	struct sk_buff *skb;

	if (!genl_has_listeners(&iovatune_nl_family, &init_net,
				IOVATUNE_NLGRP_MONITOR))
		return NOTIFY_DONE;
	skb = genlmsg_new(GENLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return NOTIFY_DONE;
	genl_info_init_ntf(&info, &iovatune_nl_family, cmds[event]);
	iovatune_dev_row(data, &row);
	if (fill_dev(skb, &row, &info, NULL))
		nlmsg_free(skb);
	else
		genlmsg_multicast(&iovatune_nl_family, skb, 0,
				  IOVATUNE_NLGRP_MONITOR, GFP_KERNEL);
	return NOTIFY_OK;
}

static struct notifier_block notify_nb = {
	.notifier_call = notify,
};

/* The generator knows no flags of groups: events are for administrators too. */
static const struct genl_multicast_group admin_groups[] = {
	[IOVATUNE_NLGRP_MONITOR] = {
		.name = "monitor",
		.flags = GENL_MCAST_CAP_NET_ADMIN,
	},
};

/**
 * iovatune_netlink_init() - open the family to user space
 *
 * Context: may sleep.
 * Return: 0, or a negative errno.
 */
int __init iovatune_netlink_init(void)
{
	int err;

	/* Devices belong to the initial namespace, and so do those who ask. */
	iovatune_nl_family.netnsok = false;
	iovatune_nl_family.mcgrps = admin_groups;
	err = genl_register_family(&iovatune_nl_family);
	if (err)
		return err;
	err = iovatune_dev_listen(&notify_nb);
	if (err)
		genl_unregister_family(&iovatune_nl_family);
	return err;
}

/**
 * iovatune_netlink_exit() - close the family
 *
 * Context: may sleep.
 */
void iovatune_netlink_exit(void)
{
	iovatune_dev_unlisten(&notify_nb);
	genl_unregister_family(&iovatune_nl_family);
}
